//! The syntax tree of a model: the text as it is written, before names and types are resolved.
//!
//! Trees compare by content: a [`Place`] equals every other, so that a model equals the tree that
//! is parsed from its printed text. Sugar is kept (`elsif`, names that share a type; not the
//! spelling of numbers), because the printer prints this tree.

pub use terms::{Fairness, Over, PropertyKind, RuleFairness};

use run::Span;
use terms::Group;

/// The span of a node in the text. All places are equal: see the module.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

impl From<Span> for Place {
    fn from(span: Span) -> Place {
        Place(span)
    }
}

impl From<Place> for Span {
    fn from(place: Place) -> Span {
        place.0
    }
}

/// A name where it is declared or used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Its span.
    pub place: Place,
}

/// The name or message of a rule, a property, an assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The text without quotes and escapes.
    pub text: String,
    /// Its span, quotes included.
    pub place: Place,
}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// The top-level items, in the order of the text.
    pub items: Vec<Item>,
    /// All comments, in the order of the text.
    pub comments: Vec<Comment>,
}

/// A comment, with its marks (`-- ...` without the line end, `/* ... */`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The text, as written.
    pub text: String,
    /// Its span.
    pub place: Place,
    /// The text before it on its line, from the first character that is not a blank; empty if there
    /// is none. (The printer keeps a comment after the text that it follows.)
    pub line: Place,
}

/// An item of the top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `const`, `type`, `var`.
    Declaration(Declaration),
    /// `function`, `procedure`.
    Function(Function),
    /// A rule, start state, property, or a block of them.
    Rule(Rule),
    /// `include "file"`, which whoever reads files replaces by the text of the file.
    Include(Include),
}

/// `include "file"`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Include {
    /// The path, relative to the file that includes.
    pub path: Text,
    /// From `include` to the end of the path.
    pub place: Place,
}

/// One section of declarations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// `const N, M: 3;`
    Constants(Vec<(Vec<Name>, Expression)>),
    /// `type t: 0..3;`
    Types(Vec<(Vec<Name>, Type)>),
    /// `var x, y: t; z: t := e;`
    Variables(Vec<(Vec<Name>, VariableType)>),
}

/// The type of variables, and what they begin with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableType {
    /// Their type.
    pub of: Type,
    /// `:= e`: the value that they begin with, or all of their elements do.
    pub initial: Option<Expression>,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// Its structure.
    pub kind: TypeKind,
    /// Its span.
    pub place: Place,
}

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `boolean`, or a declared type.
    Named(String),
    /// `0..N-1`
    Range(Box<Expression>, Box<Expression>),
    /// `enum { A, B }`
    Enumeration(Vec<Name>),
    /// `record ... end`
    Record(Vec<(Vec<Name>, Type)>),
    /// `array [T] of U`
    Array {
        /// T, the index type.
        index: Box<Type>,
        /// U, the element type.
        element: Box<Type>,
    },
    /// `scalarset(N)`, `ring(N)`, `undirected ring(N)`
    Index {
        /// The kind of index type.
        kind: IndexKind,
        /// N, the number of values.
        size: Box<Expression>,
    },
    /// `union { T, U }`
    Union(Vec<Type>),
    /// `queue [N] of T`
    Queue {
        /// N, the greatest length.
        capacity: Box<Expression>,
        /// T, the element type.
        element: Box<Type>,
    },
    /// `set of T`
    Set(Box<Type>),
    /// `multiset [N] of T`
    Multiset {
        /// N, the greatest number of elements.
        capacity: Box<Expression>,
        /// T, the element type.
        element: Box<Type>,
    },
}

/// The kinds of index types: the permutations under which their values are interchangeable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IndexKind {
    /// All permutations.
    Scalarset,
    /// Rotations.
    Ring,
    /// Rotations and reflections.
    UndirectedRing,
}

impl From<IndexKind> for Group {
    fn from(kind: IndexKind) -> Group {
        match kind {
            IndexKind::Scalarset => Group::Full,
            IndexKind::Ring => Group::Rotations,
            IndexKind::UndirectedRing => Group::Dihedral,
        }
    }
}

/// A function, or a procedure if it returns nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The type of its result; none for a procedure.
    pub result: Option<Type>,
    /// Its own declarations.
    pub declarations: Vec<Declaration>,
    /// The statements of its body.
    pub body: Vec<Statement>,
    /// From `function` to `end`.
    pub place: Place,
}

/// Parameters that share a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// `var`: the argument may be assigned.
    pub writable: bool,
    /// The parameters.
    pub names: Vec<Name>,
    /// Their type.
    pub of: Type,
}

/// A rule, start state or property, or a block around some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its kind, with its parts.
    pub kind: RuleKind,
    /// From its first word to its `end`, or to the end of its expression.
    pub place: Place,
}

/// The kinds of [`Rule`]s.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleKind {
    /// `startstate "name" ... end`
    Start {
        /// Its name.
        name: Option<Text>,
        /// Its local declarations.
        declarations: Vec<Declaration>,
        /// The statements that set the state.
        body: Vec<Statement>,
    },
    /// `rule "name" guard ==> ... end`
    Rule {
        /// `fair`, `strongly fair`.
        fairness: Option<RuleFairness>,
        /// Its name.
        name: Option<Text>,
        /// The condition under which it is enabled.
        guard: Option<Expression>,
        /// Its local declarations.
        declarations: Vec<Declaration>,
        /// The statements that a step executes.
        body: Vec<Statement>,
    },
    /// `invariant "name" e`, ...
    Property(Property),
    /// `ltl "name": forall c: T. formula under strong fairness`
    Ltl(Ltl),
    /// `justice "name": forall c: T. e`
    Justice {
        /// Its name.
        name: Option<Text>,
        /// `forall c: T.`
        tracked: Vec<Tracked>,
        /// The condition that is true infinitely often.
        condition: Expression,
    },
    /// `compassion "name": forall c: T. (p, q)`
    Compassion {
        /// Its name.
        name: Option<Text>,
        /// `forall c: T.`
        tracked: Vec<Tracked>,
        /// If this is true infinitely often, ...
        premise: Expression,
        /// ... so is this.
        conclusion: Expression,
    },
    /// `ruleset i: T; j: U do ... end`
    Ruleset {
        /// The parameters.
        quantifiers: Vec<Quantifier>,
        /// The rules that depend on the parameters.
        rules: Vec<Rule>,
    },
    /// `alias a: e do ... end`
    Alias {
        /// The names and their targets.
        aliases: Vec<Alias>,
        /// The rules in which the names are visible.
        rules: Vec<Rule>,
    },
    /// `choose i: ms do ... end`
    Choose {
        /// The name of the chosen element.
        name: Name,
        /// The multiset, a designator.
        multiset: Expression,
        /// The rules that depend on the element.
        rules: Vec<Rule>,
    },
    /// `process c: T do ... end`, `process server do ... end`
    Process {
        /// The parameter, or the process itself.
        name: Name,
        /// The type of the parameter, if this is a family: one process per value.
        family: Option<Type>,
        /// The rules that the process executes.
        rules: Vec<Rule>,
    },
}

/// A property that is a condition on states; also a statement (but for [`PropertyKind::Liveness`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its kind.
    pub kind: PropertyKind,
    /// Its name or message.
    pub name: Option<Text>,
    /// The condition.
    pub condition: Expression,
}

/// A temporal property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ltl {
    /// Its name.
    pub name: Option<Text>,
    /// `forall c: T.`
    pub tracked: Vec<Tracked>,
    /// `exists c: T.`, after `forall`.
    pub alternatives: Vec<Tracked>,
    /// The formula after the quantifiers, as text: blanks and comments between words become one
    /// blank.
    pub formula: String,
    /// The span of the formula; the words of [`formula`](Self::formula) are read from there.
    pub place: Place,
    /// `under ... fairness ...`
    pub under: Option<Under>,
}

/// `forall c, d: T` or `forall distinct c, d: T` at the start of a property; or `exists ...`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tracked {
    /// Whether the names must have different values.
    pub distinct: bool,
    /// The names.
    pub names: Vec<Name>,
    /// A type name, or a type in parentheses.
    pub of: Type,
}

/// `under strong fairness over events`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Under {
    /// The kind of fairness.
    pub kind: Fairness,
    /// The fair parties, if `over ...` is written.
    pub over: Option<Over>,
    /// Its span.
    pub place: Place,
}

/// `i: T`, `i := a to b by c`, or `v in q`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quantifier {
    /// The variable.
    pub name: Name,
    /// Its values.
    pub domain: QuantifierDomain,
}

/// The values of a quantified variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuantifierDomain {
    /// All values of a type.
    Type(Type),
    /// Numbers from a first one to a last one.
    Steps {
        /// The first number.
        from: Box<Expression>,
        /// The bound, which no value passes.
        to: Box<Expression>,
        /// The step; 1 if it is not given.
        by: Option<Box<Expression>>,
    },
    /// `v in q`: the elements of a queue or of a set.
    In(Box<Expression>),
}

/// `a: e`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The name.
    pub name: Name,
    /// The expression that it stands for.
    pub target: Expression,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// The kind, with the operands.
    pub kind: StatementKind,
    /// From its first word to its last.
    pub place: Place,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `d := e`
    Assign {
        /// A designator.
        target: Expression,
        /// The new value.
        value: Expression,
    },
    /// `clear d`
    Clear(Expression),
    /// `undefine d`
    Undefine(Expression),
    /// `if ... elsif ... else ... end`
    If {
        /// Conditions with the statements that they guard, in order; at least one.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// The statements of `else`.
        otherwise: Option<Vec<Statement>>,
    },
    /// `switch e case a, b: ... else ... end`
    Switch {
        /// The expression whose value selects a case.
        subject: Expression,
        /// The values of each case, with its statements.
        cases: Vec<(Vec<Expression>, Vec<Statement>)>,
        /// The statements of `else`.
        otherwise: Option<Vec<Statement>>,
    },
    /// `for i: T; j: U do ... end`
    For {
        /// Outermost first; at least one.
        quantifiers: Vec<Quantifier>,
        /// The statements that are repeated.
        body: Vec<Statement>,
    },
    /// `while e do ... end`
    While {
        /// The loop runs while this is true.
        condition: Expression,
        /// The statements that are repeated.
        body: Vec<Statement>,
    },
    /// `alias a: e do ... end`
    Alias {
        /// The names and their targets.
        aliases: Vec<Alias>,
        /// The statements in which the names are visible.
        body: Vec<Statement>,
    },
    /// `return e`
    Return(Option<Expression>),
    /// `error "..."`
    Error(Text),
    /// `put "..."`
    PutText(Text),
    /// `put e`
    Put(Expression),
    /// `p(a, b)`; built-in operations such as `MultiSetAdd` and `push` have this form, too.
    Call {
        /// The procedure.
        name: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `MultiSetRemovePred(i: ms, e)`
    RemoveWhere {
        /// The name of the element in the condition.
        name: Name,
        /// The multiset, a designator.
        multiset: Expression,
        /// The condition of the elements that are removed.
        condition: Expression,
    },
    /// `assert e "..."`, ...; never [`PropertyKind::Liveness`].
    Property(Property),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// The kind, with the operands.
    pub kind: ExpressionKind,
    /// From its first character to its last, parentheses around it not included.
    pub place: Place,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// `17`, `0x11`; a number that does not fit is refused by the parser.
    Number(i64),
    /// A variable, parameter, constant, enum member or alias, or `true` or `false`.
    Name(String),
    /// `d.f`
    Field(Box<Expression>, Name),
    /// `d[e]`
    Element(Box<Expression>, Box<Expression>),
    /// `f(a, b)`; built-in functions such as `isundefined`, `next` and `head` have this form, too.
    Call {
        /// The function.
        name: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `message { from: n, what: Ask }`
    Record {
        /// The type.
        name: Name,
        /// Some of its fields, with their values.
        fields: Vec<(Name, Expression)>,
    },
    /// `[a, b]`
    Array(Vec<Expression>),
    /// `{ a, b }`
    Set(Vec<Expression>),
    /// `! e`, `- e`, ...
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b`, ...
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `forall i: T; j: U do e end`, `exists ...`
    Quantified {
        /// Whether it is `forall` or `exists`.
        kind: QuantifierKind,
        /// Outermost first; at least one.
        quantifiers: Vec<Quantifier>,
        /// The expression that is evaluated for each instance.
        body: Box<Expression>,
    },
    /// `count i: T; j: U do e end`, `sum ...`
    Total {
        /// Whether it is `count` or `sum`.
        kind: TotalKind,
        /// Outermost first; at least one.
        quantifiers: Vec<Quantifier>,
        /// The condition of the values that are counted, or the number that is added for each.
        body: Box<Expression>,
    },
    /// `MultiSetCount(i: ms, e)`
    CountWhere {
        /// The name of the element in the condition.
        name: Name,
        /// The multiset, a designator.
        multiset: Box<Expression>,
        /// The condition of the elements that are counted.
        condition: Box<Expression>,
    },
}

/// `forall` or `exists`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifierKind {
    /// `forall`: true of all values.
    Forall,
    /// `exists`: true of at least one value.
    Exists,
}

/// `count` or `sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TotalKind {
    /// `count`: the number of values for which a condition is true.
    Count,
    /// `sum`: the sum of a number for each value.
    Sum,
}

/// Operators before their operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `~`
    BitwiseNot,
}

/// Operators between two operands, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    /// `->`
    Implies,
    /// `||`: always logical.
    OrElse,
    /// `&&`: always logical.
    AndAlso,
    /// `|`: logical or bitwise.
    Or,
    /// `^`
    Xor,
    /// `&`: logical or bitwise.
    And,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `=`, `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
    /// `in`
    In,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}
