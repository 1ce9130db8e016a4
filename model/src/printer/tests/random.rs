//! Random syntax trees from a seed, with every construct that the parser can read.

use crate::syntax::{
    Alias, BinaryOperator, Declaration, Expression, ExpressionKind, Fairness, Function, Include,
    IndexKind, Item, Ltl, Model, Name, Over, Parameter, Place, Property, PropertyKind, Quantifier,
    QuantifierDomain, QuantifierKind, Rule, RuleFairness, RuleKind, Statement, StatementKind, Text,
    TotalKind, Tracked, Type, TypeKind, UnaryOperator, Under, VariableType,
};
use ltl::Span;
use run::SplitMix64;

const NOWHERE: Place = Place(Span::at(0));

/// Words of the language that may be names are included.
const NAMES: &[&str] = &[
    "a", "b_1", "X", "G", "ring", "process", "ltl", "fair", "under", "choose", "multiset", "by",
    "next", "distinct", "true", "boolean", "elseif", "and",
];

const TEXTS: &[&str] = &["", "a", "two words", "\"quoted\"", "back\\slash", "line\nend\t", "“ü”"];

const FORMULAS: &[&str] = &[
    "G x",
    "G(@go(c,_) -> F st[c] = K)",
    "[]<>p",
    "!(forall i: t; j: u do x[i] end) U under",
    "\"a; b\" & true",
    "\"a\"",
    "\"a\" U b",
    "-1 < x",
];

const BINARY: &[BinaryOperator] = &[
    BinaryOperator::Implies,
    BinaryOperator::OrElse,
    BinaryOperator::AndAlso,
    BinaryOperator::Or,
    BinaryOperator::Xor,
    BinaryOperator::And,
    BinaryOperator::Less,
    BinaryOperator::LessOrEqual,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::In,
    BinaryOperator::GreaterOrEqual,
    BinaryOperator::Greater,
    BinaryOperator::ShiftLeft,
    BinaryOperator::ShiftRight,
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Remainder,
];

const UNARY: &[UnaryOperator] =
    &[UnaryOperator::Not, UnaryOperator::Negate, UnaryOperator::Plus, UnaryOperator::BitwiseNot];

const PROPERTIES: &[PropertyKind] = &[
    PropertyKind::Invariant,
    PropertyKind::Assert,
    PropertyKind::Assume,
    PropertyKind::Cover,
    PropertyKind::Liveness,
];

/// A source of trees.
pub(super) struct Trees {
    rng: SplitMix64,
    /// The number of nodes that may still be created; then there are only leaves.
    budget: usize,
}

impl Trees {
    pub(super) fn new(seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let budget = 5 + rng.below(150);
        Trees { rng, budget }
    }

    pub(super) fn model(&mut self) -> Model {
        let items = (0..=self.rng.below(6)).map(|_| self.item()).collect();
        Model { items, comments: Vec::new() }
    }

    /// A number below `bound`; 0 when the budget is used up.
    fn choice(&mut self, bound: usize) -> usize {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 { 0 } else { self.rng.below(bound) }
    }

    fn chance(&mut self) -> bool {
        self.choice(2) == 1
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        *self.rng.pick(items).expect("there are items")
    }

    fn many<T>(&mut self, least: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.choice(3);
        (0..count).map(|_| make(self)).collect()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance().then(|| make(self))
    }

    fn name(&mut self) -> Name {
        Name { text: self.pick(NAMES).to_owned(), place: NOWHERE }
    }

    fn text(&mut self) -> Text {
        Text { text: self.pick(TEXTS).to_owned(), place: NOWHERE }
    }

    fn names(&mut self) -> Vec<Name> {
        self.many(1, Self::name)
    }

    fn item(&mut self) -> Item {
        match self.choice(9) {
            0 | 1 => Item::Declaration(self.declaration()),
            2 | 3 => Item::Function(self.function()),
            4 => Item::Include(Include { path: self.text(), place: NOWHERE }),
            _ => Item::Rule(self.rule(true)),
        }
    }

    fn declaration(&mut self) -> Declaration {
        match self.choice(3) {
            0 => Declaration::Constants(self.many(0, |t| (t.names(), t.expression()))),
            1 => Declaration::Types(self.many(0, |t| (t.names(), t.type_()))),
            _ => Declaration::Variables(self.many(0, |t| {
                let initial = t.maybe(Self::expression);
                (t.names(), VariableType { of: t.type_(), initial })
            })),
        }
    }

    fn function(&mut self) -> Function {
        let parameter =
            |t: &mut Self| Parameter { writable: t.chance(), names: t.names(), of: t.type_() };
        Function {
            name: self.name(),
            parameters: self.many(0, parameter),
            result: self.maybe(Self::type_),
            declarations: self.many(0, Self::declaration),
            body: self.many(0, Self::statement),
            place: NOWHERE,
        }
    }

    fn rules(&mut self) -> Vec<Rule> {
        self.many(0, |t| t.rule(false))
    }

    fn rule(&mut self, is_outer: bool) -> Rule {
        let kind = match self.choice(if is_outer { 10 } else { 7 }) {
            0 => RuleKind::Rule {
                fairness: match self.choice(3) {
                    0 => None,
                    1 => Some(RuleFairness::Weak),
                    _ => Some(RuleFairness::Strong),
                },
                name: self.maybe(Self::text),
                guard: self.maybe(Self::expression),
                declarations: self.many(0, Self::declaration),
                body: self.many(0, Self::statement),
            },
            1 => RuleKind::Start {
                name: self.maybe(Self::text),
                declarations: self.many(0, Self::declaration),
                body: self.many(0, Self::statement),
            },
            2 => {
                let kind = self.pick(PROPERTIES);
                RuleKind::Property(self.property(kind))
            }
            3 => RuleKind::Ruleset { quantifiers: self.quantifiers(), rules: self.rules() },
            4 => RuleKind::Alias { aliases: self.aliases(), rules: self.rules() },
            5 => RuleKind::Choose {
                name: self.name(),
                multiset: self.designator(),
                rules: self.rules(),
            },
            6 => RuleKind::Process {
                name: self.name(),
                family: self.maybe(Self::type_),
                rules: self.rules(),
            },
            7 => RuleKind::Ltl(self.ltl()),
            8 => RuleKind::Justice {
                name: self.maybe(Self::text),
                tracked: self.tracked(),
                condition: self.expression(),
            },
            _ => RuleKind::Compassion {
                name: self.maybe(Self::text),
                tracked: self.tracked(),
                premise: self.expression(),
                conclusion: self.expression(),
            },
        };
        Rule { kind, place: NOWHERE }
    }

    fn property(&mut self, kind: PropertyKind) -> Property {
        Property { kind, name: self.maybe(Self::text), condition: self.expression() }
    }

    fn ltl(&mut self) -> Ltl {
        let under = |kind, over| Under { kind, over, place: NOWHERE };
        let all = [
            under(Fairness::None, None),
            under(Fairness::Global, None),
            under(Fairness::Weak, None),
            under(Fairness::Strong, Some(Over::Processes)),
            under(Fairness::Weak, Some(Over::Events)),
        ];
        Ltl {
            name: self.maybe(Self::text),
            tracked: self.tracked(),
            alternatives: self.tracked(),
            formula: self.pick(FORMULAS).to_owned(),
            place: NOWHERE,
            under: self.maybe(|t| t.pick(&all)),
        }
    }

    fn tracked(&mut self) -> Vec<Tracked> {
        self.many(0, |t| Tracked { distinct: t.chance(), names: t.names(), of: t.type_() })
    }

    fn aliases(&mut self) -> Vec<Alias> {
        self.many(0, |t| Alias { name: t.name(), target: t.expression() })
    }

    fn quantifiers(&mut self) -> Vec<Quantifier> {
        self.many(1, |t| Quantifier {
            name: t.name(),
            domain: if t.chance() {
                QuantifierDomain::Steps { from: t.boxed(), to: t.boxed(), by: t.maybe(Self::boxed) }
            } else {
                QuantifierDomain::Type(t.type_())
            },
        })
    }

    /// Those of a `for`, which may also visit elements.
    fn loops(&mut self) -> Vec<Quantifier> {
        let mut loops = self.quantifiers();
        if self.choice(3) == 0 {
            loops[0].domain = QuantifierDomain::In(self.boxed());
        }
        loops
    }

    fn type_(&mut self) -> Type {
        let boxed = |t: &mut Self| Box::new(t.type_());
        let kind = match self.choice(10) {
            0 => TypeKind::Named(self.name().text),
            1 => TypeKind::Range(self.boxed(), self.boxed()),
            2 => TypeKind::Enumeration(self.many(0, Self::name)),
            3 => TypeKind::Record(self.many(0, |t| (t.names(), t.type_()))),
            4 => TypeKind::Array { index: boxed(self), element: boxed(self) },
            5 => TypeKind::Index {
                kind: self.pick(&[
                    IndexKind::Scalarset,
                    IndexKind::Ring,
                    IndexKind::UndirectedRing,
                ]),
                size: self.boxed(),
            },
            6 => TypeKind::Union(self.many(0, Self::type_)),
            7 => TypeKind::Set(boxed(self)),
            8 => TypeKind::Queue { capacity: self.boxed(), element: boxed(self) },
            _ => TypeKind::Multiset { capacity: self.boxed(), element: boxed(self) },
        };
        Type { kind, place: NOWHERE }
    }

    fn statement(&mut self) -> Statement {
        let body = |t: &mut Self| t.many(0, Self::statement);
        let kind = match self.choice(16) {
            0 | 1 => StatementKind::Assign { target: self.designator(), value: self.expression() },
            2 => StatementKind::Clear(self.designator()),
            3 => StatementKind::Undefine(self.designator()),
            4 => StatementKind::If {
                branches: self.many(1, |t| (t.expression(), body(t))),
                otherwise: self.maybe(body),
            },
            5 => StatementKind::Switch {
                subject: self.expression(),
                cases: self.many(0, |t| (t.many(1, Self::expression), body(t))),
                otherwise: self.maybe(body),
            },
            6 => StatementKind::For { quantifiers: self.loops(), body: body(self) },
            7 => StatementKind::While { condition: self.expression(), body: body(self) },
            8 => StatementKind::Alias { aliases: self.aliases(), body: body(self) },
            9 => StatementKind::Return(self.maybe(Self::expression)),
            10 => StatementKind::Error(self.text()),
            11 => StatementKind::PutText(self.text()),
            12 => StatementKind::Put(self.expression()),
            13 => {
                StatementKind::Call { name: self.name(), arguments: self.many(0, Self::expression) }
            }
            14 => StatementKind::RemoveWhere {
                name: self.name(),
                multiset: self.designator(),
                condition: self.expression(),
            },
            _ => {
                // Liveness is not a statement.
                let kind = self.pick(&PROPERTIES[..4]);
                StatementKind::Property(self.property(kind))
            }
        };
        Statement { kind, place: NOWHERE }
    }

    fn boxed(&mut self) -> Box<Expression> {
        Box::new(self.expression())
    }

    fn designator(&mut self) -> Expression {
        let kind = match self.choice(4) {
            0 | 1 => ExpressionKind::Name(self.name().text),
            2 => ExpressionKind::Field(Box::new(self.designator()), self.name()),
            _ => ExpressionKind::Element(Box::new(self.designator()), self.boxed()),
        };
        Expression { kind, place: NOWHERE }
    }

    fn expression(&mut self) -> Expression {
        let kind = match self.choice(16) {
            0 => ExpressionKind::Number(i64::from(self.rng.below(1000) as u32)),
            1 => ExpressionKind::Number(i64::MAX),
            2 | 3 => return self.designator(),
            4 => ExpressionKind::Call {
                name: self.name(),
                arguments: self.many(0, Self::expression),
            },
            5 => ExpressionKind::Unary(self.pick(UNARY), self.boxed()),
            6..=8 => ExpressionKind::Binary(self.pick(BINARY), self.boxed(), self.boxed()),
            9 => ExpressionKind::Conditional(self.boxed(), self.boxed(), self.boxed()),
            10 => ExpressionKind::Quantified {
                kind: self.pick(&[QuantifierKind::Forall, QuantifierKind::Exists]),
                quantifiers: self.quantifiers(),
                body: self.boxed(),
            },
            11 => ExpressionKind::Total {
                kind: self.pick(&[TotalKind::Count, TotalKind::Sum]),
                quantifiers: self.quantifiers(),
                body: self.boxed(),
            },
            12 => ExpressionKind::Array(self.many(1, Self::expression)),
            13 => ExpressionKind::Set(self.many(0, Self::expression)),
            14 => ExpressionKind::Record {
                name: self.name(),
                fields: self.many(0, |t| (t.name(), t.expression())),
            },
            _ => ExpressionKind::CountWhere {
                name: self.name(),
                multiset: Box::new(self.designator()),
                condition: self.boxed(),
            },
        };
        Expression { kind, place: NOWHERE }
    }
}
