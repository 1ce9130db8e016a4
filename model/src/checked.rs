//! The checked model: names resolved, types known, constants folded.
//!
//! The reference interpreter walks this model, the compiler translates it, and the symmetry rules
//! judge it. It exists only if no error was found in the text, so its readers rely on it: indices
//! are in bounds of their tables, types fit, and constants are constant where they must be.
//!
//! # Frames
//! Every rule, start state, property and function has its own table of [`Local`]s: parameters,
//! quantified variables, loop variables, aliases, declared variables. A frame of the interpreter
//! has one slot for each; [`LocalId`] is the slot. No two locals share a slot, even if their scopes
//! are disjoint.

pub use terms::{Demand, EventId, FamilyId, Group, PropertyId};

use super::syntax::{Fairness, Over, PropertyKind, QuantifierKind, RuleFairness};
use super::types::{IndexTypeId, TypeId, Types};
use super::value::Scalar;
use run::{Diagnostic, Span};

/// A model without errors, which can be run.
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
    /// Start states, as written; each stands for one start state per value of its parameters.
    pub starts: Vec<Start>,
    /// Rules, as written; each stands for one rule per value of its parameters.
    pub rules: Vec<Rule>,
    /// The observable events of steps: rules with the same name and equal parameter types share one
    /// event.
    pub events: Vec<Event>,
    /// The processes that execute steps.
    pub processes: Vec<ProcessFamily>,
    /// Properties of states, including those that are statements.
    pub properties: Vec<Property>,
    /// Temporal properties.
    pub formulas: Vec<Formula>,
    /// Formulas that are checked on the model, but are not part of its text; without names. The
    /// span of each is its whole text, after that of the model: see
    /// [`check_with`](super::check_with).
    pub questions: Vec<Formula>,
    /// Expressions whose values along runs are asked for; like `questions`, they are not part of the
    /// text of the model.
    pub shown: Vec<Shown>,
    /// Declared justice and compassion requirements.
    pub requirements: Vec<Requirement>,
    /// The symmetry group of each index type, in the order of [`Types::index_types`].
    pub symmetries: Vec<Symmetry>,
    /// Warnings for the author of the model, in the order of the text.
    pub warnings: Vec<Diagnostic>,
}

impl Model {
    /// The global assumptions: properties of kind `assume` that are not statements.
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

/// The variable in a slot of a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name, as written.
    pub name: String,
    /// The type of its value; for a [`LocalKind::Chosen`] the type of the element.
    pub of: TypeId,
    /// Its kind.
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
    /// A `var` parameter: a reference, which may be assigned.
    WritableParameter,
    /// Any other parameter: a reference if the argument is a designator, else a value; it is never
    /// assigned through this name.
    Parameter,
    /// The position of an element in a multiset: of `choose`, `MultiSetCount`,
    /// `MultiSetRemovePred`, `for i in m`. It is not a value and occurs in [`Selector::Chosen`] and
    /// [`StatementKind::MultisetRemove`] only.
    Chosen,
}

/// A function or procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its locals. The first ones are its parameters, in order.
    pub locals: Vec<Local>,
    /// The number of its parameters.
    pub arity: usize,
    /// The type of its result, if it returns one.
    pub result: Option<TypeId>,
    /// The statements of its body.
    pub body: Vec<Statement>,
    /// Whether a call may change a global variable or an argument, print, or end the step
    /// (`assume`); calls of other functions included.
    pub has_effects: bool,
    /// Whether its only effects are outputs of `put`: then it may be called where a state is only
    /// looked at, and prints nothing there.
    pub only_prints: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A construct around a rule, start state or property; lists of them are outermost first.
#[derive(Clone, PartialEq, Debug)]
pub enum Scope {
    /// A parameter: one instance per value.
    Parameter {
        /// The slot of the value.
        local: LocalId,
        /// The values.
        domain: ParameterDomain,
    },
    /// A chosen element: one instance per element; equal elements count once.
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
        /// The expression that it refers to.
        target: Expression,
    },
}

/// The values of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterDomain {
    /// All values of a type; around start states the type need not be simple.
    Type(TypeId),
    /// These numbers, in this order.
    Steps {
        /// The first number.
        from: i64,
        /// The bound, which no value passes.
        to: i64,
        /// The step: not zero; a negative one counts down.
        by: i64,
    },
}

/// A start state.
#[derive(Clone, PartialEq, Debug)]
pub struct Start {
    /// Its name as written, or `start_k` for the k-th start state of the file.
    pub name: String,
    /// The constructs around it, outermost first.
    pub scope: Vec<Scope>,
    /// The slots of its frame.
    pub locals: Vec<Local>,
    /// The statements that set the state; all variables are undefined before them.
    pub body: Vec<Statement>,
    /// Where it is written.
    pub span: Span,
}

/// A rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// The name of its event.
    pub name: String,
    /// The constructs around it, outermost first.
    pub scope: Vec<Scope>,
    /// The slots of its frame.
    pub locals: Vec<Local>,
    /// The condition under which it is enabled; without effects.
    pub guard: Option<Expression>,
    /// The statements that a step executes.
    pub body: Vec<Statement>,
    /// The process that executes its steps.
    pub owner: Owner,
    /// Its event. The arguments are the values of the parameters and chosen elements of `scope`.
    pub event: EventId,
    /// The fairness that is declared for this rule; see [`Event::fairness`].
    pub fairness: Option<RuleFairness>,
    /// Where it is written.
    pub span: Span,
}

/// An expression whose value along runs is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// As it was written.
    pub text: String,
    /// The expression, which has no effects.
    pub value: Expression,
    /// The slots of its frame.
    pub locals: Vec<Local>,
}

/// The process that executes a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The family.
    pub family: FamilyId,
    /// The parameter of the rule that selects a process of the family; none for a single process.
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
    /// Where it occurs first.
    pub span: Option<Span>,
}

/// An event, shared by the rules with the same name and equal parameter types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The name of its rules.
    pub name: String,
    /// The names and types of the parameters of its first rule.
    pub parameters: Vec<(String, TypeId)>,
    /// The strongest fairness that is declared for one of its rules.
    pub fairness: Option<RuleFairness>,
}

/// A property of states, top-level or a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its kind.
    pub kind: PropertyKind,
    /// Whether it is a statement; then the scope is empty and the condition is in the statement.
    pub is_statement: bool,
    /// The constructs around it, outermost first; it must hold for all of their values.
    pub scope: Vec<Scope>,
    /// The slots of its frame.
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
    /// Its text as written, quantifiers included.
    pub text: String,
    /// The slots of its frame: the tracked variables, then the variables that its atoms bind.
    pub locals: Vec<Local>,
    /// The tracked variables.
    pub tracked: Vec<TrackedGroup>,
    /// All subformulas of the property, and the property itself.
    pub formulas: ltl::Formulas,
    /// The property itself.
    pub root: ltl::Formula,
    /// The meaning of each atom of the formula, by its number.
    pub atoms: Vec<Atom>,
    /// The fairness that is written with this property.
    pub under: Option<(Fairness, Option<Over>)>,
    /// Where it is written.
    pub span: Span,
}

/// Tracked variables that are declared together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedGroup {
    /// Their slots.
    pub locals: Vec<LocalId>,
    /// Their type, which is simple.
    pub of: TypeId,
    /// Whether they must have different values.
    pub distinct: bool,
    /// Whether the property is the same for all tuples of different values, so that one tuple answers
    /// for all: these variables stand for all values of the type, in some order. `exists` in front of a
    /// formula is the disjunction over them.
    pub stands_for_all: bool,
}

/// An atom of a temporal formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Atom {
    /// A condition on the state; without effects.
    State {
        /// The condition.
        condition: Expression,
        /// Its text, as written.
        text: String,
        /// If it is an implication, its left side as written.
        antecedent: Option<String>,
    },
    /// The step is one of these events, and its arguments have the given values.
    Event {
        /// The events of that name and number of arguments.
        events: Vec<EventId>,
        /// The arguments; `None` matches any value. Also empty if the pattern has no argument list.
        arguments: Vec<Option<Operand>>,
        /// Its text, as written.
        text: String,
    },
    /// The step is executed by this process; without one, by any process.
    By {
        /// The process.
        process: Option<ProcessOperand>,
        /// Its text, as written.
        text: String,
    },
}

/// An argument of an event atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A tracked variable.
    Local(LocalId),
    /// A constant value.
    Constant(Scalar),
}

/// A process in an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessOperand {
    /// A single process.
    Single(FamilyId),
    /// The process of a family that has this value.
    Member(Operand),
}

/// A declared fairness requirement, one per value of its tracked variables.
#[derive(Clone, PartialEq, Debug)]
pub struct Requirement {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The slots of its frame: the tracked variables, then the variables that the conditions bind.
    pub locals: Vec<Local>,
    /// The tracked variables.
    pub tracked: Vec<TrackedGroup>,
    /// If this is true infinitely often (if absent, the requirement is a justice requirement) ...
    pub premise: Option<Expression>,
    /// ... so is this.
    pub conclusion: Expression,
    /// Where it is written.
    pub span: Span,
}

/// The symmetry group of an index type.
#[derive(Clone, PartialEq, Debug)]
pub struct Symmetry {
    /// The index type.
    pub of: IndexTypeId,
    /// The group: the declared one, or the trivial one.
    pub group: Group,
    /// Why the group is trivial although a larger one was declared: spans that distinguish values.
    pub reasons: Vec<(Span, String)>,
}

/// A stored or computed value, given by a root and a path into it.
///
/// A path into an element of a queue is only read or asked about: no reference leads there, because
/// elements move.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The start of the path.
    pub root: Root,
    /// The path from the root.
    pub selectors: Vec<Selector>,
    /// The type of the value there.
    pub of: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// The start of a path.
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
    /// An element of an array, by its index.
    Element(Expression),
    /// The element of a queue at this position; 0 is the head. An error if there is none.
    Position(Expression),
    /// The last element of a queue; an error if it is empty.
    Last,
    /// The element of a multiset at the position in this slot.
    Chosen(LocalId),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    /// The kind, with the operands.
    pub kind: ExpressionKind,
    /// The type of its value; [`Types::INTEGER`] for arithmetic.
    pub of: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of expressions.
///
/// Operands are evaluated from left to right. Evaluating an undefined simple value is an error;
/// copying or comparing a record, array or multiset with undefined parts is not.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// A literal, a constant, an enum member.
    Constant(Scalar),
    /// The value that is stored in a place.
    Read(Place),
    /// The value that is stored in an element of a queue: it is copied, where [`Read`](Self::Read)
    /// may stand for the place itself.
    Peek(Place),
    /// The number of elements of a queue.
    Length(Place),
    /// Whether a value is among the elements of a queue. Elements are compared from the head on, up to
    /// the first that is equal.
    InQueue(Box<Expression>, Place),
    /// A set with these elements, which must be in its element type.
    SetOf(Vec<Expression>),
    /// `s | t`, `s & t`, `s - t`, of sets of one type.
    SetOperation(SetOperator, Box<Expression>, Box<Expression>),
    /// The number of elements of a set.
    Size(Box<Expression>),
    /// Whether a value is an element of a set; one that is not in the element type is none.
    InSet(Box<Expression>, Box<Expression>),
    /// `s <= t`: whether all elements of a set are in another one of its type.
    Subset(Box<Expression>, Box<Expression>),
    /// `! e`, logical.
    Not(Box<Expression>),
    /// `- e`
    Negate(Box<Expression>),
    /// `~ e`
    BitwiseNot(Box<Expression>),
    /// An operation on numbers whose result is a number.
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    /// A comparison of numbers.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `a = b`, of any type; the types of both sides are compatible, not always equal.
    Equal(Box<Expression>, Box<Expression>),
    /// `a != b`
    NotEqual(Box<Expression>, Box<Expression>),
    /// `a & b`: b is evaluated only if a is true.
    And(Box<Expression>, Box<Expression>),
    /// `a | b`: b is evaluated only if a is false.
    Or(Box<Expression>, Box<Expression>),
    /// `a -> b`: b is evaluated only if a is true.
    Implies(Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `forall`, `exists`. Over a type with index types: if some instance decides the result, that
    /// is the value; otherwise, if some instances fail, so does the whole, with the failure that
    /// comes first in the text. Over other types the instances are evaluated in order, up to the
    /// first that decides or fails.
    Quantified {
        /// Whether it is `forall` or `exists`.
        kind: QuantifierKind,
        /// The variable.
        binder: Binder,
        /// The expression that is evaluated for each instance.
        body: Box<Expression>,
    },
    /// The sum of a numeric expression over all values of a variable. `count x: T do e end` is the
    /// sum of `e ? 1 : 0`. All instances are evaluated, so that the result does not depend on an order;
    /// if some fail, so does the sum, with the failure that comes first in the text (over a type
    /// without index types: with the first in order).
    Sum {
        /// The variable.
        binder: Binder,
        /// The expression that is evaluated for each instance.
        body: Box<Expression>,
    },
    /// A record or an array, made of its parts, in order; those that are absent are undefined. A
    /// simple part must be in its type.
    Parts(Vec<Option<Expression>>),
    /// `f(a, b)`; the function returns a value.
    Call {
        /// The function.
        function: FunctionId,
        /// One argument per parameter.
        arguments: Vec<Argument>,
    },
    /// Whether this simple place is undefined.
    IsUndefined(Place),
    /// Whether a value of a union belongs to this member type.
    IsMember(Box<Expression>, TypeId),
    /// `next(x)`: the successor of x in a ring.
    Next(Box<Expression>),
    /// `prev(x)`: the predecessor of x in a ring.
    Previous(Box<Expression>),
    /// `adjacent(x, y)`: whether x and y are neighbours in an undirected ring.
    Adjacent(Box<Expression>, Box<Expression>),
    /// The number of elements of a multiset that satisfy a condition.
    MultisetCount {
        /// The slot of the position.
        local: LocalId,
        /// The multiset.
        multiset: Place,
        /// The condition, evaluated for each element.
        condition: Box<Expression>,
    },
}

/// Operators on sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetOperator {
    /// `|`
    Union,
    /// `&`
    Intersection,
    /// `-`
    Difference,
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
    /// `/`, rounding towards zero.
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
    /// A reference: always for a `var` parameter, and for others if the argument is a designator of
    /// a type that is not simple, which nothing writes to before the call returns.
    Reference(Place),
    /// A value, which is a copy: the function keeps it, whatever is written meanwhile. For a simple parameter it must be in the parameter's type; but if it is an
    /// undefined place, the parameter is undefined, too, which is an error only when it is read.
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

/// The values of a bound variable, in the order in which they are taken.
#[derive(Clone, PartialEq, Debug)]
pub enum Domain {
    /// All values of a simple type.
    Type(TypeId),
    /// Numbers; the bounds are evaluated once, on entry. A loop in the wrong direction, or with
    /// steps of zero, is an error.
    Steps {
        /// The first number.
        from: Box<Expression>,
        /// The bound, which no value passes.
        to: Box<Expression>,
        /// The step; 1 if it is not given.
        by: Option<Box<Expression>>,
    },
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// The kind, with the operands.
    pub kind: StatementKind,
    /// Where it is written.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// `d := e`. The place is evaluated first, then the value; a simple value must be in the
    /// place's type.
    Assign {
        /// The place that is assigned.
        target: Place,
        /// The new value.
        value: Expression,
    },
    /// Sets every part to the least value of its type, and empties multisets.
    Clear(Place),
    /// Makes every part undefined, and empties multisets.
    Undefine(Place),
    /// Executes the first branch whose condition is true.
    If {
        /// Conditions with the statements that they guard; at least one.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// Executed if no condition is true.
        otherwise: Vec<Statement>,
    },
    /// Executes the first case that has a value equal to the subject.
    Switch {
        /// The expression that is compared, evaluated once.
        subject: Expression,
        /// The values of each case, with its statements.
        cases: Vec<(Vec<Expression>, Vec<Statement>)>,
        /// Executed if no value is equal.
        otherwise: Vec<Statement>,
    },
    /// Executes its body once per value. If the loop is `unordered`, every iteration is executed,
    /// even if one fails or ends the step (`assume`): if some fail, so does the loop, with the
    /// failure that comes first in the text; otherwise, if any ends the step, the step ends. So the
    /// outcome does not depend on an order.
    For {
        /// The variable.
        binder: Binder,
        /// Whether it ranges over a type with index types, and the symmetry rules have proved its
        /// iterations independent of each other. Set by those rules.
        unordered: bool,
        /// The statements that are repeated.
        body: Vec<Statement>,
    },
    /// Executes its body once for each element that a multiset has before the loop, in no order: every
    /// iteration is executed, as in an unordered [`For`](Self::For). The symmetry rules have proved
    /// the iterations independent of each other.
    Each {
        /// The position of the element.
        local: LocalId,
        /// The multiset; its place is evaluated once.
        multiset: Place,
        /// The statements that are repeated.
        body: Vec<Statement>,
    },
    /// Repeats its body while the condition is true.
    While {
        /// Evaluated before every iteration.
        condition: Expression,
        /// The statements that are repeated.
        body: Vec<Statement>,
    },
    /// Another name for a place or a value.
    Alias {
        /// The slot of the reference.
        local: LocalId,
        /// The expression that it refers to: the place of an [`ExpressionKind::Read`], else the
        /// value.
        target: Expression,
        /// The statements in which the name is visible.
        body: Vec<Statement>,
    },
    /// Leaves the function, rule or start state.
    Return(Option<Expression>),
    /// Fails with this message at run time.
    Error(String),
    /// Prints a text.
    PutText(String),
    /// Prints a value; a place may be undefined.
    Put(Expression),
    /// A call for its effects; a result is discarded.
    Call {
        /// The procedure.
        function: FunctionId,
        /// One argument per parameter.
        arguments: Vec<Argument>,
    },
    /// Adds an element to a queue; an error if it is full. The element is evaluated first.
    Push {
        /// The queue.
        queue: Place,
        /// The element.
        element: Expression,
        /// Whether it becomes the head; otherwise it becomes the last one.
        is_front: bool,
    },
    /// Removes the head of a queue; an error if it is empty.
    Pop(Place),
    /// Adds an element to a set, or removes it. It must be in the element type, and may be there, or
    /// not, already. It is evaluated first.
    Member {
        /// The set.
        set: Place,
        /// The element.
        element: Expression,
        /// Whether it is added.
        is_added: bool,
    },
    /// Adds an element; an error if the multiset is full.
    MultisetAdd {
        /// The element that is added.
        element: Expression,
        /// The multiset.
        multiset: Place,
    },
    /// Removes the element at a position; an error if it was removed before.
    MultisetRemove {
        /// The slot of the position.
        local: LocalId,
        /// The multiset that the position belongs to.
        multiset: Place,
    },
    /// Removes all elements that satisfy a condition; all conditions are evaluated before any
    /// removal.
    MultisetRemoveWhere {
        /// The slot of the position.
        local: LocalId,
        /// The multiset.
        multiset: Place,
        /// The condition, evaluated for each element.
        condition: Expression,
    },
    /// `assert`, `assume`, `cover`, `invariant` as a statement.
    Property {
        /// Its entry in [`Model::properties`].
        property: PropertyId,
        /// The condition.
        condition: Expression,
    },
    /// `v := v & e` or `v := v | e` (logical) in an unordered loop, where v is an accumulator: like
    /// [`StatementKind::Assign`], but if e fails, the iteration continues, and the failure counts
    /// only if v is not decided at the end of the loop (false for `&`, true for `|`). The symmetry
    /// rules make it of an assignment.
    Accumulate {
        /// v, the accumulator.
        target: Place,
        /// Whether the operator is `|`.
        or: bool,
        /// e, the operand.
        value: Expression,
        /// The loop at whose end v is examined: 1 is the innermost unordered loop around this
        /// statement, 2 the next one.
        loops: u32,
    },
}
