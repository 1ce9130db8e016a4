//! Lowers checked models to the [intermediate form](super::form).
//!
//! Names, types and scopes end here. Conversions, checks of ranges and reads of places that may be
//! undefined become explicit; calls are expanded; aliases and references become the places that they
//! stand for. What the form cannot say is [`Unsupported`], with the reason: rules and properties that
//! need it are left to the reference interpreter.

pub(super) mod bag;
mod calls;
mod line;
mod once;
pub(super) mod place;
mod scope;
mod set;
mod statement;
#[cfg(test)]
mod tests;
mod types;
mod value;
mod whole;

use super::cells::Layout;
use super::form::bounds::bounds;
use super::form::{
    Cells, ConditionsForm, Frame, PropertyForm, Range, Register, RuleForm, StartForm, Statement,
    Value,
};
use model::checked::{
    Expression, FunctionId, Local, LocalId, LocalKind, Model, Property, Rule, Start,
};
use model::types::TypeId;
use place::{Element, Part};
use run::Span;

/// The form cannot say this, for a reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unsupported(pub(super) &'static str);

/// A result of lowering.
pub(super) type Lowered<T> = Result<T, Unsupported>;

/// What was lowered; otherwise the reason is logged, and the interpreter executes it.
pub(super) fn supported<T>(what: &'static str, span: Span, lowered: Lowered<T>) -> Option<T> {
    let unsupported = match lowered {
        Ok(lowered) => return Some(lowered),
        Err(unsupported) => unsupported,
    };
    tracing::debug!(what, at = span.start, reason = unsupported.0, "left to the interpreter");
    None
}

/// The most calls that are expanded in one unit.
const MOST_CALLS: usize = 1000;

/// The model whose units are lowered.
#[derive(Clone, Copy)]
pub(super) struct Units<'m> {
    pub(super) model: &'m Model,
    pub(super) layout: &'m Layout,
}

impl<'m> Units<'m> {
    /// Lowers a rule.
    pub(super) fn rule(self, rule: &'m Rule) -> Lowered<RuleForm> {
        let mut lowering = Lowering::new(self, &rule.locals);
        let (scope, arguments) = lowering.scope_of_rule(&rule.scope, rule.guard.as_ref())?;
        let body = lowering.body(&rule.body)?;
        Ok(RuleForm { frame: lowering.frame, scope, body, arguments })
    }

    /// Lowers the condition of a property.
    pub(super) fn property(self, property: &'m Property) -> Lowered<PropertyForm> {
        let condition = property.condition.as_ref().ok_or(Unsupported("it is a statement"))?;
        let mut lowering = Lowering::new(self, &property.locals);
        let (scope, condition) = lowering.scope_of_property(&property.scope, condition)?;
        Ok(PropertyForm { frame: lowering.frame, scope, condition })
    }

    /// Lowers conditions over a frame whose first registers are the locals: the caller sets those that
    /// are bound.
    pub(super) fn conditions(
        self,
        locals: &'m [Local],
        conditions: impl IntoIterator<Item = &'m Expression>,
    ) -> ConditionsForm {
        let mut lowering = Lowering::new(self, locals);
        for (k, local) in locals.iter().enumerate() {
            if local.kind == LocalKind::Bound {
                let register = lowering.register(lowering.range_of(local.of));
                lowering.bindings[k] = Binding::Value(Value::Register(register));
            } else {
                lowering.register(Range::ALL);
            }
        }
        let lower = |one: &'m Expression| supported("condition", one.span, lowering.simple(one));
        let conditions = conditions.into_iter().map(lower).collect();
        ConditionsForm { frame: lowering.frame, conditions }
    }

    /// Lowers a start state.
    pub(super) fn start(self, start: &'m Start) -> Lowered<StartForm> {
        let mut lowering = Lowering::new(self, &start.locals);
        let digits = lowering.digits(&start.scope)?;
        let body = lowering.body(&start.body)?;
        Ok(StartForm { frame: lowering.frame, digits, body })
    }
}

/// The meaning of a local.
#[derive(Clone, Debug)]
enum Binding {
    /// Not bound yet.
    None,
    /// A value that is defined and does not change: a constant or a register.
    Value(Value),
    /// A simple variable.
    Variable(Register),
    /// A place in memory, whose indices are constants and registers.
    Place(Part),
    /// An element of a multiset.
    Chosen(Element),
}

/// The result of a function.
#[derive(Clone, Debug)]
enum Outcome {
    Nothing,
    Simple(Register),
    Whole(Cells),
}

/// Lowers one unit: a rule, a property or a start state.
struct Lowering<'m> {
    model: &'m Model,
    layout: &'m Layout,
    frame: Frame,
    /// Statements go to the end of this list.
    out: Vec<Statement>,
    /// The locals of the unit, or of the function that is expanded.
    locals: &'m [Local],
    bindings: Vec<Binding>,
    /// Whether elements of multisets may have been removed: not in guards and properties.
    is_body: bool,
    /// Whether the statements that are lowered are in a loop whose iterations have no order: one that
    /// fails counts for more than one that abandons the step.
    is_unordered: bool,
    /// The functions that are being expanded, and how many calls were expanded so far.
    expanding: Vec<FunctionId>,
    expanded: usize,
    /// Where the result of the innermost one goes, and its type.
    exit: (Outcome, Option<TypeId>),
}

impl<'m> Lowering<'m> {
    fn new(units: Units<'m>, locals: &'m [Local]) -> Self {
        let Units { model, layout } = units;
        Lowering {
            model,
            layout,
            frame: Frame::default(),
            out: Vec::new(),
            locals,
            bindings: vec![Binding::None; locals.len()],
            is_body: false,
            is_unordered: false,
            expanding: Vec::new(),
            expanded: 0,
            exit: (Outcome::Nothing, None),
        }
    }

    /// A new register, whose values are in this range where they are read as defined.
    fn register(&mut self, range: Range) -> Register {
        let register = self.next();
        self.frame.registers.push(range);
        register
    }

    /// The next new register.
    fn next(&self) -> Register {
        Register(self.frame.registers.len() as u32)
    }

    /// New cells of the frame.
    fn allocate(&mut self, cells: usize) -> Cells {
        let first = self.frame.cells;
        self.frame.cells += cells;
        Cells::at(self.layout.cells() + first)
    }

    fn bind(&mut self, local: LocalId, binding: Binding) {
        self.bindings[local.0 as usize] = binding;
    }

    /// What is lowered, and its statements, apart from those before it.
    fn apart<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Vec<Statement>) {
        let before = std::mem::take(&mut self.out);
        let lowered = lower(self);
        (lowered, std::mem::replace(&mut self.out, before))
    }

    /// The statements of something that is lowered.
    fn list(&mut self, lower: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<Vec<Statement>> {
        let (lowered, list) = self.apart(lower);
        lowered.map(|()| list)
    }

    /// A value that does not change any more: a constant, or a register that is set to it now.
    fn settled(&mut self, value: Value) -> Value {
        if value.is_settled() {
            return value;
        }
        let register = self.register(bounds(&value, &self.frame).certain());
        self.out.push(Statement::register(register, value));
        Value::Register(register)
    }
}
