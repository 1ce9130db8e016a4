//! The syntax tree of a model: what is written, before anything is known of names and types.
//!
//! Trees compare by what they say: a [`Place`] equals every other, so that a model equals what is
//! read of its print. Sugar is kept (`elsif`, names that share a type, the spelling of numbers is
//! not), because the printer prints this tree.

pub use terms::{Fairness, Over, PropertyKind, RuleFairness};

use run::Span;
use terms::Group;

/// Where a node stands. All places are equal: see the module.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub Span);

impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

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
    /// Where.
    pub place: Place,
}

/// The name or message of a rule, a property, an assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// Without quotes and escapes.
    pub text: String,
    /// With quotes.
    pub place: Place,
}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// In the order of the text.
    pub items: Vec<Item>,
    /// All comments, in order.
    pub comments: Vec<Comment>,
}

/// A comment, with its marks (`-- ...` without the line end, `/* ... */`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// As written.
    pub text: String,
    /// Where.
    pub place: Place,
    /// What stands before it on its line, from the first character that is no blank: empty if
    /// nothing does. (The printer leaves a comment behind what it is about.)
    pub line: Place,
}

/// What stands at the top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `const`, `type`, `var`.
    Declaration(Declaration),
    /// `function`, `procedure`.
    Function(Function),
    /// A rule, start state, property, or a block of them.
    Rule(Rule),
}

/// One section of declarations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// `const N, M: 3;`
    Constants(Vec<(Vec<Name>, Expression)>),
    /// `type t: 0..3;`
    Types(Vec<(Vec<Name>, Type)>),
    /// `var x, y: t;`
    Variables(Vec<(Vec<Name>, Type)>),
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub place: Place,
}

/// What a type is.
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
        /// T
        index: Box<Type>,
        /// U
        element: Box<Type>,
    },
    /// `scalarset(N)`, `ring(N)`, `undirected ring(N)`
    Index {
        /// Which of them.
        kind: IndexKind,
        /// N
        size: Box<Expression>,
    },
    /// `union { T, U }`
    Union(Vec<Type>),
    /// `multiset [N] of T`
    Multiset {
        /// N
        capacity: Box<Expression>,
        /// T
        element: Box<Type>,
    },
}

/// The kinds of index types: which permutations their values may undergo.
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
    /// How it is called.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Option<Type>,
    /// Declarations of its own.
    pub declarations: Vec<Declaration>,
    /// What it does.
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
    /// Which of them.
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
        /// Locals.
        declarations: Vec<Declaration>,
        /// What sets the state.
        body: Vec<Statement>,
    },
    /// `rule "name" guard ==> ... end`
    Rule {
        /// `fair`, `strongly fair`.
        fairness: Option<RuleFairness>,
        /// Its name.
        name: Option<Text>,
        /// When it is enabled.
        guard: Option<Expression>,
        /// Locals.
        declarations: Vec<Declaration>,
        /// What it does.
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
        /// True infinitely often.
        condition: Expression,
    },
    /// `compassion "name": forall c: T. (p, q)`
    Compassion {
        /// Its name.
        name: Option<Text>,
        /// `forall c: T.`
        tracked: Vec<Tracked>,
        /// If infinitely often this, ...
        premise: Expression,
        /// ... then infinitely often that.
        conclusion: Expression,
    },
    /// `ruleset i: T; j: U do ... end`
    Ruleset {
        /// The parameters.
        quantifiers: Vec<Quantifier>,
        /// What depends on them.
        rules: Vec<Rule>,
    },
    /// `alias a: e do ... end`
    Alias {
        /// The names and what they stand for.
        aliases: Vec<Alias>,
        /// Where they do.
        rules: Vec<Rule>,
    },
    /// `choose i: ms do ... end`
    Choose {
        /// Stands for an element.
        name: Name,
        /// The multiset, a designator.
        multiset: Expression,
        /// What depends on it.
        rules: Vec<Rule>,
    },
    /// `process c: T do ... end`, `process server do ... end`
    Process {
        /// The parameter, or the process itself.
        name: Name,
        /// A family: one process per value.
        family: Option<Type>,
        /// What it does.
        rules: Vec<Rule>,
    },
}

/// A property that is a condition on states; also a statement (but for [`PropertyKind::Liveness`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Which kind.
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
    /// The formula behind that, as text: blanks and comments between words are one blank.
    pub formula: String,
    /// Where the formula stands; the words of [`formula`](Self::formula) are read from there.
    pub place: Place,
    /// `under ... fairness ...`
    pub under: Option<Under>,
}

/// `forall c, d: T` or `forall distinct c, d: T` at the start of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tracked {
    /// No two of the names have the same value.
    pub distinct: bool,
    /// The names.
    pub names: Vec<Name>,
    /// A type name, or a type in parentheses.
    pub of: Type,
}

/// `under strong fairness over events`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Under {
    /// Which fairness.
    pub kind: Fairness,
    /// `over ...`, if said.
    pub over: Option<Over>,
    /// Where.
    pub place: Place,
}

/// `i: T`, or `i := a to b by c`
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
    /// All of a type.
    Type(Type),
    /// Numbers, in steps.
    Steps {
        /// The first.
        from: Box<Expression>,
        /// Not passed.
        to: Box<Expression>,
        /// The step, 1 if not said.
        by: Option<Box<Expression>>,
    },
}

/// `a: e`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The name.
    pub name: Name,
    /// What it stands for.
    pub target: Expression,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Which.
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
        /// Conditions with what they guard, in order; at least one.
        branches: Vec<(Expression, Vec<Statement>)>,
        /// `else`
        otherwise: Option<Vec<Statement>>,
    },
    /// `switch e case a, b: ... else ... end`
    Switch {
        /// e
        subject: Expression,
        /// The cases.
        cases: Vec<(Vec<Expression>, Vec<Statement>)>,
        /// `else`
        otherwise: Option<Vec<Statement>>,
    },
    /// `for i: T; j: U do ... end`
    For {
        /// Outermost first; at least one.
        quantifiers: Vec<Quantifier>,
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// `while e do ... end`
    While {
        /// e
        condition: Expression,
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// `alias a: e do ... end`
    Alias {
        /// The names and what they stand for.
        aliases: Vec<Alias>,
        /// Where they do.
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
    /// `p(a, b)`; `MultiSetAdd` and `MultiSetRemove` look the same.
    Call {
        /// The procedure.
        name: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `MultiSetRemovePred(i: ms, e)`
    RemoveWhere {
        /// Stands for an element.
        name: Name,
        /// The multiset, a designator.
        multiset: Expression,
        /// Which elements go.
        condition: Expression,
    },
    /// `assert e "..."`, ...; never [`PropertyKind::Liveness`].
    Property(Property),
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// Which.
    pub kind: ExpressionKind,
    /// From its first character to its last, parentheses around it not included.
    pub place: Place,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// `17`, `0x11`; a number that does not fit is refused by the parser.
    Number(i64),
    /// A variable, parameter, constant, enum member, alias; `true` and `false`, too.
    Name(String),
    /// `d.f`
    Field(Box<Expression>, Name),
    /// `d[e]`
    Element(Box<Expression>, Box<Expression>),
    /// `f(a, b)`; `isundefined`, `ismember`, `next`, `prev`, `adjacent` look the same.
    Call {
        /// The function.
        name: Name,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `! e`, `- e`, ...
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b`, ...
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `forall i: T; j: U do e end`, `exists ...`
    Quantified {
        /// Which.
        kind: QuantifierKind,
        /// Outermost first; at least one.
        quantifiers: Vec<Quantifier>,
        /// e
        body: Box<Expression>,
    },
    /// `MultiSetCount(i: ms, e)`
    CountWhere {
        /// Stands for an element.
        name: Name,
        /// The multiset, a designator.
        multiset: Box<Expression>,
        /// Which elements count.
        condition: Box<Expression>,
    },
}

/// `forall` or `exists`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifierKind {
    /// All.
    Forall,
    /// At least one.
    Exists,
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
