//! The checked model: names resolved, types known, constants folded.
//!
//! This is what the reference interpreter walks, what the compiler translates and what the symmetry
//! rules judge. Everything that was wrong with the text has been reported before it exists, so its
//! readers rely on it: indices are in bounds of their tables, types fit, what must be constant is.
//!
//! # Frames
//! Every rule, start state, property and function has its own table of [`Local`]s: parameters,
//! quantified variables, loop variables, aliases, declared variables. A frame of the interpreter has
//! one slot for each; [`LocalId`] is the slot. No slot is shared by two locals, even if their scopes
//! do not meet.

pub use terms::{Demand, EventId, FamilyId, Group, PropertyId};

use super::syntax::{Fairness, Over, PropertyKind, QuantifierKind, RuleFairness};
use super::types::{IndexTypeId, TypeId, Types};
use super::value::Scalar;
use run::{Diagnostic, Span};

/// A model that may be run.
#[derive(Clone, Debug)]
pub struct Model {
    /// All types.
    pub types: Types,
    /// Constants with their values, in the order of the text.
    pub constants: Vec<Constant>,
    /// The state: all global variables.
    pub variables: Vec<Variable>,
    /// Functions and procedures.
    pub functions: Vec<Function>,
    /// Start states, as written; each stands for one per value of its parameters.
    pub starts: Vec<Start>,
    /// Rules, as written.
    pub rules: Vec<Rule>,
    /// What may be observed of a step: rules of one name and equal parameter types are one event.
    pub events: Vec<Event>,
    /// Who executes steps.
    pub processes: Vec<ProcessFamily>,
    /// Properties of states, also those that are statements.
    pub properties: Vec<Property>,
    /// Temporal properties.
    pub formulas: Vec<Formula>,
    /// Formulas that are asked about the model and are no part of its text; without names. The span
    /// of each is its whole text, behind that of the model: see [`check_with`](super::check_with).
    pub questions: Vec<Formula>,
    /// Justice and compassion.
    pub requirements: Vec<Requirement>,
    /// What each index type's values may undergo, in the order of [`Types::index_types`].
    pub symmetries: Vec<Symmetry>,
    /// What the author should know, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

impl Model {
    /// The global assumptions.
    pub fn assumptions(&self) -> impl Iterator<Item = PropertyId> {
        let all = (0..).map(PropertyId).zip(&self.properties);
        let global = all.filter(|(_, one)| one.kind == PropertyKind::Assume && !one.is_statement);
        global.map(|(id, _)| id)
    }
}

/// A named value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Scalar,
    /// Where it is declared.
    pub span: Span,
}

/// A global variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: TypeId,
    /// Where it is declared.
    pub span: Span,
}

/// A global variable: its position in [`Model::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

/// A slot of a frame: see the module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// A function: its position in [`Model::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

/// What a slot of a frame holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// As written.
    pub name: String,
    /// Of what it holds; for a [`LocalKind::Chosen`] the type of the element.
    pub of: TypeId,
    /// What it is.
    pub kind: LocalKind,
    /// Where it is declared.
    pub span: Span,
}

/// The kinds of [`Local`]s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocalKind {
    /// A parameter of a ruleset or process, a quantified or a loop variable, a tracked variable of
    /// a property: always defined, never assigned.
    Bound,
    /// A declared variable: fresh and undefined on entry.
    Variable,
    /// A reference to where something is stored (an alias of a designator, a `var` parameter), or
    /// to a value that has been computed (an alias of another expression); bound once, on entry.
    Alias,
    /// A `var` parameter: a reference, may be assigned.
    WritableParameter,
    /// Any other parameter: a reference if the argument is a designator, else a value; never
    /// assigned through this name.
    Parameter,
    /// The position of an element in a multiset: of `choose`, `MultiSetCount`, `MultiSetRemovePred`.
    /// Not a value; it occurs in [`Selector::Chosen`] and [`StatementKind::MultisetRemove`] only.
    Chosen,
}

/// A function or procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its first locals are its parameters, in order.
    pub locals: Vec<Local>,
    /// How many parameters it has.
    pub arity: usize,
    /// What it returns, if it does.
    pub result: Option<TypeId>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Whether a call may change a global variable or an argument, print, or end the step
    /// (`assume`); calls of other functions included.
    pub has_effects: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What stands around a rule, start state or property, outermost first.
#[derive(Clone, PartialEq, Debug)]
pub enum Scope {
    /// One instance per value.
    Parameter {
        /// The slot of the value.
        local: LocalId,
        /// The values.
        domain: ParameterDomain,
    },
    /// One instance per element; equal elements count once.
    Choose {
        /// The slot of the position.
        local: LocalId,
        /// The multiset, in the state before the step.
        multiset: Place,
    },
    /// Another name for a place or a value, bound before the guard is evaluated.
    Alias {
        /// The slot of the reference.
        local: LocalId,
        /// What it refers to.
        target: Expression,
    },
}

/// The values of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterDomain {
    /// All of a type; around start states it need not be simple.
    Type(TypeId),
    /// These numbers, in order.
    Steps {
        /// The first.
        from: i64,
        /// Not passed.
        to: i64,
        /// Not zero; negative counts down.
        by: i64,
    },
}

/// A start state.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// As written, or `start_k`, the k-th start state of the file.
    pub name: String,
    /// What stands around it.
    pub scope: Vec<Scope>,
    /// Its frame.
    pub locals: Vec<Local>,
    /// What sets the state, from all undefined.
    pub body: Vec<Statement>,
    /// Where it is written.
    pub span: Span,
}

/// A rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// The name of its event.
    pub name: String,
    /// What stands around it.
    pub scope: Vec<Scope>,
    /// Its frame.
    pub locals: Vec<Local>,
    /// When it is enabled; without effects.
    pub guard: Option<Expression>,
    /// What a step does.
    pub body: Vec<Statement>,
    /// Who executes its steps.
    pub owner: Owner,
    /// Its event. The arguments are the values of the parameters and chosen elements of `scope`.
    pub event: EventId,
    /// As declared for this rule; see [`Event::fairness`].
    pub fairness: Option<RuleFairness>,
    /// Where it is written.
    pub span: Span,
}

/// Who executes a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The family.
    pub family: FamilyId,
    /// The parameter of the rule that says which process of the family; none if it is a single one.
    pub parameter: Option<LocalId>,
}

/// Processes that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessFamily {
    /// The name of a single process (`server`, `system`), or that of the parameter's type (else of
    /// the parameter).
    pub name: String,
    /// The type of the parameter; none for a single process.
    pub of: Option<TypeId>,
    /// Where it is met first.
    pub span: Option<Span>,
}

/// An event: what rules of one name and equal parameter types have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The rules' name.
    pub name: String,
    /// The names of the parameters of its first rule, with types.
    pub parameters: Vec<(String, TypeId)>,
    /// The strongest that is declared for one of its rules.
    pub fairness: Option<RuleFairness>,
}

/// A property of states, top-level or a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What is said.
    pub kind: PropertyKind,
    /// Whether it is a statement; then the scope is empty and the condition is in the statement.
    pub is_statement: bool,
    /// What stands around it: it holds for all values.
    pub scope: Vec<Scope>,
    /// Its frame.
    pub locals: Vec<Local>,
    /// The condition; without effects.
    pub condition: Option<Expression>,
    /// Where it is written.
    pub span: Span,
}

/// A temporal property.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// As written, with its quantifiers.
    pub text: String,
    /// Its frame: the tracked variables, then what its atoms bind.
    pub locals: Vec<Local>,
    /// The tracked variables.
    pub tracked: Vec<TrackedGroup>,
    /// All formulas of the property, and the property itself.
    pub formulas: ltl::Formulas,
    /// The property itself.
    pub root: ltl::Formula,
    /// What the atoms of the formula mean, by their number.
    pub atoms: Vec<Atom>,
    /// Fairness of its own.
    pub under: Option<(Fairness, Option<Over>)>,
    /// Where it is written.
    pub span: Span,
}

/// Tracked variables that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedGroup {
    /// Their slots.
    pub locals: Vec<LocalId>,
    /// Their type, simple.
    pub of: TypeId,
    /// Whether no two have the same value.
    pub distinct: bool,
}

/// An atom of a temporal formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Atom {
    /// A condition on the state; without effects.
    State {
        /// The condition.
        condition: Expression,
        /// As written.
        text: String,
        /// If it is an implication, its left side as written.
        antecedent: Option<String>,
    },
    /// The step is one of these events, and each argument that is said has that value.
    Event {
        /// The events of that name and number of arguments.
        events: Vec<EventId>,
        /// The arguments; `None` is any. Empty, too, if the pattern has no list.
        arguments: Vec<Option<Operand>>,
        /// As written.
        text: String,
    },
    /// The step is executed by this process; by any, if none is said.
    By {
        /// The process.
        process: Option<ProcessOperand>,
        /// As written.
        text: String,
    },
}

/// An argument of an event atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A tracked variable.
    Local(LocalId),
    /// A value.
    Constant(Scalar),
}

/// A process that an atom names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessOperand {
    /// A single process.
    Single(FamilyId),
    /// The process of this value.
    Member(Operand),
}

/// A declared fairness requirement, one per value of its tracked variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its frame: the tracked variables, then what the conditions bind.
    pub locals: Vec<Local>,
    /// The tracked variables.
    pub tracked: Vec<TrackedGroup>,
    /// Infinitely often this (none: true, so that this is justice) ...
    pub premise: Option<Expression>,
    /// ... implies infinitely often that.
    pub conclusion: Expression,
    /// Where it is written.
    pub span: Span,
}

/// What the values of an index type may undergo.
#[derive(Clone, PartialEq, Debug)]
pub struct Symmetry {
    /// The index type.
    pub of: IndexTypeId,
    /// The group: what was declared, or nothing at all.
    pub group: Group,
    /// Why the group is trivial although more was declared: places that can tell values apart.
    pub reasons: Vec<(Span, String)>,
}

/// Something that is stored, or has been computed: a root and a path into it.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Where the path starts.
    pub root: Root,
    /// The path.
    pub selectors: Vec<Selector>,
    /// The type of what is there.
    pub of: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// Where a path starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    /// A variable of the state.
    Global(VariableId),
    /// A slot of the frame; never a [`LocalKind::Chosen`].
    Local(LocalId),
}

/// One step of a path.
#[derive(Clone, PartialEq, Debug)]
pub enum Selector {
    /// A field of a record, by position.
    Field(u32),
    /// An element of an array.
    Element(Expression),
    /// The element of a multiset at the position in this slot.
    Chosen(LocalId),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// Which.
    pub kind: ExpressionKind,
    /// The type of its value. [`Types::INTEGER`] for arithmetic.
    pub of: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of expressions.
///
/// Operands are evaluated from left to right. To evaluate an undefined simple value is an error, but
/// to copy or compare a record, array or multiset with undefined parts is none.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// A literal, a constant, an enum member.
    Constant(Scalar),
    /// What is stored there.
    Read(Place),
    /// `! e`, logical.
    Not(Box<Expression>),
    /// `- e`
    Negate(Box<Expression>),
    /// `~ e`
    BitwiseNot(Box<Expression>),
    /// Numbers in, number out.
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    /// Numbers in, Boolean out.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `a = b`, of any type; the types of both sides are compatible, not always equal.
    Equal(Box<Expression>, Box<Expression>),
    /// `a != b`
    NotEqual(Box<Expression>, Box<Expression>),
    /// `a & b`: b is evaluated if a is true.
    And(Box<Expression>, Box<Expression>),
    /// `a | b`: b is evaluated if a is false.
    Or(Box<Expression>, Box<Expression>),
    /// `a -> b`: b is evaluated if a is true.
    Implies(Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `forall`, `exists`. Over a type with index types: if some instance decides, that is the
    /// value; otherwise, if some instance fails, so does the whole, with that failure of all that
    /// stands first in the text. Over other types instances come one after another, up to the first
    /// that decides or fails.
    Quantified {
        /// Which.
        kind: QuantifierKind,
        /// The variable.
        binder: Binder,
        /// Of every instance.
        body: Box<Expression>,
    },
    /// `f(a, b)`; it returns a value.
    Call {
        /// The function.
        function: FunctionId,
        /// As many as it has parameters.
        arguments: Vec<Argument>,
    },
    /// Whether nothing has been stored in this simple place.
    IsUndefined(Place),
    /// Whether a value of a union is of one of its members.
    IsMember(Box<Expression>, TypeId),
    /// `next(x)`, in a ring.
    Next(Box<Expression>),
    /// `prev(x)`, in a ring.
    Previous(Box<Expression>),
    /// `adjacent(x, y)`, in an undirected ring.
    Adjacent(Box<Expression>, Box<Expression>),
    /// How many elements of a multiset satisfy a condition.
    MultisetCount {
        /// The slot of the position.
        local: LocalId,
        /// The multiset.
        multiset: Place,
        /// Evaluated for each.
        condition: Box<Expression>,
    },
}

/// Operators on numbers. All are checked: overflow and division by zero are errors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero.
    Divide,
    /// `%`, with the sign of the dividend.
    Remainder,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    BitwiseAnd,
    /// `|`
    BitwiseOr,
    /// `^`
    BitwiseXor,
}

/// Comparisons of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// A reference: always to a `var` parameter, and to others if the argument is a designator of
    /// a type that is not simple.
    Reference(Place),
    /// A value. For a simple parameter it must be in the parameter's type; but if it is a place in
    /// which nothing is stored, the parameter is undefined, too, which is an error only when it is
    /// read.
    Value(Expression),
}

/// A bound variable with its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Binder {
    /// Its slot.
    pub local: LocalId,
    /// Its values.
    pub domain: Domain,
}

/// The values of a bound variable, in the order in which they come.
#[derive(Clone, PartialEq, Debug)]
pub enum Domain {
    /// All of a simple type.
    Type(TypeId),
    /// Numbers; the bounds are evaluated once, on entry. A loop that runs the wrong way, or in
    /// steps of zero, is an error.
    Steps {
        /// The first.
        from: Box<Expression>,
        /// Not passed.
        to: Box<Expression>,
        /// 1 if not said.
        by: Option<Box<Expression>>,
    },
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Which.
    pub kind: StatementKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// `d := e`. The place is found first, then the value; a simple value must be in the place's
    /// type.
    Assign {
        /// Where to.
        target: Place,
        /// What.
        value: Expression,
    },
    /// Every part the least of its type; multisets empty.
    Clear(Place),
    /// Every part undefined; multisets empty.
    Undefine(Place),
    /// The first branch whose condition is true.
    If {
        /// Conditions with what they guard; at least one.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// If none is true.
        otherwise: Vec<Statement>,
    },
    /// The first case one of whose values equals the subject.
    Switch {
        /// Evaluated once.
        subject: Expression,
        /// Values with what they select.
        cases: Vec<(Vec<Expression>, Vec<Statement>)>,
        /// If none is equal.
        otherwise: Vec<Statement>,
    },
    /// Once per value. If the loop is `unordered`, every iteration is run, even if one fails or
    /// ends the step (`assume`): if any fails, so does the loop, with that failure of all that stands
    /// first in the text; otherwise, if any ends the step, the step ends. So the outcome depends on
    /// no order.
    For {
        /// The variable.
        binder: Binder,
        /// Whether it ranges over a type with index types, and the symmetry rules have found that
        /// its iterations do not depend on each other. Set by those rules.
        unordered: bool,
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// While the condition is true.
    While {
        /// Evaluated before every iteration.
        condition: Expression,
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// Another name for a place or a value.
    Alias {
        /// The slot of the reference.
        local: LocalId,
        /// What it refers to: if it is a [`ExpressionKind::Read`], the place, else the value.
        target: Expression,
        /// Where it does.
        body: Vec<Statement>,
    },
    /// Leaves the function, rule or start state.
    Return(Option<Expression>),
    /// A run-time error with this message.
    Error(String),
    /// Prints a text.
    PutText(String),
    /// Prints a value; of a place also if it is undefined.
    Put(Expression),
    /// A call for its effects; a result is dropped.
    Call {
        /// The procedure.
        function: FunctionId,
        /// As many as it has parameters.
        arguments: Vec<Argument>,
    },
    /// Adds an element; an error if there is no room.
    MultisetAdd {
        /// What.
        element: Expression,
        /// Where to.
        multiset: Place,
    },
    /// Removes the element at a position; an error if it is gone.
    MultisetRemove {
        /// The slot of the position.
        local: LocalId,
        /// Where from: the multiset that the position belongs to.
        multiset: Place,
    },
    /// Removes all elements that satisfy a condition; all conditions are evaluated first.
    MultisetRemoveWhere {
        /// The slot of the position.
        local: LocalId,
        /// Where from.
        multiset: Place,
        /// Evaluated for each.
        condition: Expression,
    },
    /// `assert`, `assume`, `cover`, `invariant` as a statement.
    Property {
        /// In the table of properties.
        property: PropertyId,
        /// The condition.
        condition: Expression,
    },
    /// `v := v & e` or `v := v | e` (logical) in an unordered loop, where v is an accumulator: like
    /// [`StatementKind::Assign`], but if e fails, the iteration goes on, and the failure counts only
    /// if at the end of the loop v is not decided (false for `&`, true for `|`). Made of an
    /// assignment by the symmetry rules.
    Accumulate {
        /// v
        target: Place,
        /// Whether this is `|`.
        or: bool,
        /// e
        value: Expression,
        /// At the end of which loop: 1 is the innermost unordered loop around this statement, 2 the
        /// next one.
        loops: u32,
    },
}
