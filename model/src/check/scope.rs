//! Names and their meanings, innermost scope first.

use crate::checked::{FunctionId, LocalId, VariableId};
use crate::types::TypeId;
use crate::value::Scalar;
use hashbrown::HashMap;
use ltl::Span;

/// The meaning of a name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ScopeSymbol {
    /// A constant or an enum member.
    Constant(Scalar, TypeId),
    Type(TypeId),
    Global(VariableId),
    Function(FunctionId),
    Local(LocalId),
    /// Its declaration is wrong and has been reported: uses are not reported.
    Broken,
}

impl ScopeSymbol {
    /// The kind of symbol, for messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            ScopeSymbol::Constant(..) => "a constant",
            ScopeSymbol::Type(_) => "a type",
            ScopeSymbol::Global(_) | ScopeSymbol::Local(_) | ScopeSymbol::Broken => "a variable",
            ScopeSymbol::Function(_) => "a function",
        }
    }
}

/// All open scopes, the global one first.
pub(super) struct Scopes {
    open: Vec<Scope>,
}

type Scope = HashMap<String, (ScopeSymbol, Option<Span>)>;

/// Scopes inside of the global one.
pub(super) struct InnerScopes(Vec<Scope>);

impl Scopes {
    /// The global scope.
    pub(super) fn new() -> Self {
        Scopes { open: vec![HashMap::new()] }
    }

    pub(super) fn enter(&mut self) {
        self.open.push(HashMap::new());
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
        debug_assert!(!self.open.is_empty(), "the global scope stays");
    }

    /// Leaves all scopes but the global one; returns them for [`Scopes::enter_all`].
    pub(super) fn leave_all(&mut self) -> InnerScopes {
        InnerScopes(self.open.split_off(1))
    }

    /// Enters the scopes again that were left.
    pub(super) fn enter_all(&mut self, inner: InnerScopes) {
        self.open.extend(inner.0);
    }

    /// Declares a name in the innermost scope. If the name has a meaning there already, keeps that
    /// and returns where it was declared (`None` if it is built in).
    pub(super) fn declare(
        &mut self,
        name: &str,
        symbol: ScopeSymbol,
        span: Option<Span>,
    ) -> Result<(), Option<Span>> {
        let innermost = self.open.last_mut().expect("the global scope stays");
        if let Some(&(_, before)) = innermost.get(name) {
            return Err(before);
        }
        innermost.insert(name.to_owned(), (symbol, span));
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Option<ScopeSymbol> {
        self.open.iter().rev().find_map(|scope| scope.get(name)).map(|&(symbol, _)| symbol)
    }

    /// Whether no scope but the global one is open.
    pub(super) fn is_innermost_global(&self) -> bool {
        self.open.len() == 1
    }

    /// The visible name that is nearest to an undeclared one, among those that `fit`.
    pub(super) fn nearest(&self, name: &str, fit: impl Fn(ScopeSymbol) -> bool) -> Option<&str> {
        let visible = self.open.iter().flat_map(HashMap::iter);
        let candidates =
            visible.filter(|&(_, &(symbol, _))| fit(symbol)).map(|(name, _)| &name[..]);
        nearest(name, candidates)
    }
}

/// The candidate that was probably meant by `name`, if one is near enough.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let lower = name.to_lowercase();
    let scored = candidates.filter_map(|candidate| {
        let other = candidate.to_lowercase();
        // A difference in case alone is the likeliest mistake.
        let distance = if lower == other { 0 } else { strsim::osa_distance(&lower, &other) };
        let bound = lower.chars().count().max(other.chars().count()) / 3;
        (distance <= bound).then_some((distance, candidate))
    });
    scored.min().map(|(_, candidate)| candidate)
}
