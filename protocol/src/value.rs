//! Values of a protocol's types, without the types.
//!
//! Only the module `code` and the workers of steps know the types of a protocol. Everything else
//! (the judge, the search, reports) passes states and events on as [`Value`]s, so that it is compiled
//! once and not again for each protocol.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{BuildHasher as _, Hash, Hasher};
use std::sync::Arc;

/// A state or an event of a protocol. Values of one protocol's states have one type, and so have its
/// events.
#[derive(Clone)]
pub struct Value(Arc<dyn AnyValue>);

/// What may be done with a value whose type is not known.
trait AnyValue: Any + Debug + Send + Sync {
    fn is_equal(&self, other: &dyn Any) -> bool;
    /// A hash that is computed with the type, in one call.
    fn hashed(&self) -> u64;
    fn copied(&self) -> Arc<dyn AnyValue>;
    fn as_any(&self) -> &dyn Any;
}

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> AnyValue for T {
    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn hashed(&self) -> u64 {
        foldhash::fast::FixedState::with_seed(0x5a1e).hash_one(self)
    }

    fn copied(&self) -> Arc<dyn AnyValue> {
        Arc::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Value {
    /// A value without its type.
    pub fn new<T: Clone + Eq + Hash + Debug + Send + Sync + 'static>(value: T) -> Value {
        Value(Arc::new(value))
    }

    /// The value in its own type: that of the protocol's states, or that of its events.
    ///
    /// # Panics
    /// If that is another type.
    pub fn get<T: 'static>(&self) -> &T {
        let value = (*self.0).as_any().downcast_ref();
        value.expect("a protocol is asked about its own values")
    }

    /// An equal value at another address.
    #[must_use]
    pub(crate) fn copied(&self) -> Value {
        Value((*self.0).copied())
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        (*self.0).is_equal((*other.0).as_any())
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64((*self.0).hashed());
    }
}

/// As the value itself.
impl Debug for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (*self.0).fmt(out)
    }
}
