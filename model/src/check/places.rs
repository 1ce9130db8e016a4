//! Names and designators: variables, fields, elements, elements that are chosen from multisets.

use super::Checker;
use super::queues::is_in_queue;
use super::scope::{ScopeSymbol, nearest};
use crate::checked::{Expression, ExpressionKind, LocalId, LocalKind, Place, Root, Selector};
use crate::syntax::{self, Name};
use crate::types::{Type, TypeId, Types};
use crate::value::Scalar;
use ltl::{Diagnostic, Span};

impl Checker<'_> {
    /// The meaning of a name; reports the name if it has none.
    pub(super) fn symbol(&mut self, name: &str, span: Span) -> Option<ScopeSymbol> {
        match self.scopes.find(name) {
            Some(ScopeSymbol::Broken) => None,
            Some(symbol) => Some(symbol),
            None => {
                let is_value =
                    |symbol| !matches!(symbol, ScopeSymbol::Type(_) | ScopeSymbol::Function(_));
                self.unknown(name, span, "name", is_value);
                None
            }
        }
    }

    /// The index type whose values are printed like this name: `client_0`.
    pub(super) fn printed_index(&self, name: &str) -> Option<String> {
        let (of, number) = name.rsplit_once('_')?;
        let number: u32 = number.parse().ok()?;
        let types = self.types.index_types.iter();
        types.filter(|one| one.name == of && number < one.size).map(|one| one.name.clone()).next()
    }

    /// Reports an undeclared name.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        span: Span,
        noun: &str,
        fit: impl Fn(ScopeSymbol) -> bool,
    ) {
        if self.partial {
            return;
        }
        let wrong = Diagnostic::error(span, format!("unknown {noun} `{name}`"));
        let near = self.scopes.nearest(name, fit).map(|near| format!("did you mean `{near}`?"));
        if let Some(of) = self.printed_index(name) {
            self.report(wrong.help(format!(
                "values of `{of}` are printed like this, but have no names: bind one with `forall c: {of}.` \
                 in front of a formula, or `ruleset c: {of} do` around a rule"
            )));
            return;
        }
        if let Some(apart) = operators_apart(name) {
            self.report(wrong.help(format!("did you mean `{apart}`, with blanks?")));
            return;
        }
        let elsewhere = ELSEWHERE.iter().find(|(word, _)| name.eq_ignore_ascii_case(word));
        if let (Some((_, here)), None) = (elsewhere, self.declared.get(name)) {
            self.report(wrong.help(*here));
            return;
        }
        self.report(match (self.declared.get(name), near) {
            (Some(_), _) if noun == "function" => wrong.help(
                "constants, bounds and sizes are known before anything runs: they call no functions",
            ),
            (Some(&own), _) if own.start <= span.start => {
                let message = format!("the declaration of `{name}` refers to itself");
                Diagnostic { message, ..wrong }.related(own, "it starts here")
            }
            (Some(&later), _) => wrong.related(later, "it is declared here").help(
                "constants and types are declared before they are used: move its declaration up",
            ),
            (None, _)
                if noun == "function" && ["X", "F", "G", "U", "R", "W", "M"].contains(&name) =>
            {
                wrong.help("temporal operators stand in `ltl` properties, outside of expressions")
            }
            (None, Some(near)) => wrong.help(near),
            (None, None) if name.eq_ignore_ascii_case("undefined") => wrong.help(
                "undefined is no value that can be passed on: write `undefine x` or `x := UNDEFINED` \
                 to forget one, `isundefined(x)` or `x = UNDEFINED` to ask",
            ),
            (None, None) => wrong,
        });
    }

    /// The value that is stored in a designator.
    pub(super) fn read(&mut self, tree: &syntax::Expression) -> Option<Expression> {
        let place = self.place(tree)?;
        let (of, span) = (place.of, place.span);
        let kind = if is_in_queue(&place) {
            ExpressionKind::Peek(place)
        } else {
            ExpressionKind::Read(place)
        };
        Some(Expression { kind, of, span })
    }

    /// A designator.
    pub(super) fn place(&mut self, tree: &syntax::Expression) -> Option<Place> {
        use syntax::ExpressionKind as Tree;
        let span = tree.place.0;
        match &tree.kind {
            Tree::Name(name) => {
                let (root, of) = match self.symbol(name, span)? {
                    ScopeSymbol::Global(id) => (Root::Global(id), self.variables[id.0 as usize].of),
                    ScopeSymbol::Local(id) => {
                        let local = &self.frame.locals[id.0 as usize];
                        if local.kind == LocalKind::Chosen {
                            let message = format!(
                                "`{name}` is not a value: it stands for an element of a multiset"
                            );
                            let help = format!(
                                "write `m[{name}]`, where m is the multiset that it was chosen from"
                            );
                            self.error(span, message).help = Some(help);
                            return None;
                        }
                        (Root::Local(id), local.of)
                    }
                    ScopeSymbol::Function(_) => {
                        let message = format!("`{name}` is a function");
                        self.error(span, message).help =
                            Some(format!("to call it, write `{name}(...)`"));
                        return None;
                    }
                    other => {
                        let message = format!("expected a variable, found {}", other.noun());
                        self.error(span, message);
                        return None;
                    }
                };
                Some(Place { root, selectors: Vec::new(), of, span })
            }
            Tree::Call { name, arguments } if self.is_end_of_queue(&name.text) => {
                let selector = match &name.text[..] {
                    "head" => Selector::Position(Expression {
                        kind: ExpressionKind::Constant(Scalar::Number(0)),
                        of: Types::INTEGER,
                        span,
                    }),
                    _ => Selector::Last,
                };
                let [queue] = self.arguments(name, arguments, span)?;
                let mut place = self.queue(queue)?;
                let &Type::Queue { element, .. } = self.types.get(place.of) else {
                    unreachable!("`queue` returns places of queues only")
                };
                place.selectors.push(selector);
                Some(Place { of: element, span, ..place })
            }
            Tree::Field(base, field) => {
                let mut place = self.place(base)?;
                let (position, of) = self.field(place.of, base.place.0, field)?;
                place.selectors.push(Selector::Field(position));
                Some(Place { of, span, ..place })
            }
            Tree::Element(base, index) => {
                let mut place = self.place(base);
                if let Some(of) = place.as_ref().map(|place| place.of)
                    && let Type::Multiset { element, .. } = *self.types.get(of)
                {
                    let position = self.position(index, of)?;
                    let place = place.take()?;
                    let mut selectors = place.selectors;
                    selectors.push(Selector::Chosen(position));
                    return Some(Place { selectors, of: element, span, ..place });
                }
                let index = self.expression(index);
                let (mut place, index) = (place?, index?);
                if let &Type::Queue { element, .. } = self.types.get(place.of) {
                    self.must_be_number(&index, "a queue is indexed by a number")?;
                    place.selectors.push(Selector::Position(index));
                    return Some(Place { of: element, span, ..place });
                }
                let Type::Array { index: wanted, element } = *self.types.get(place.of) else {
                    let shown = self.types.show(place.of);
                    let message =
                        format!("a value of type {shown} has no elements: it is not an array");
                    self.error(span, message);
                    return None;
                };
                if !self.are_compatible(wanted, index.of) {
                    let (is, needs) = (self.described(&index), self.types.show(wanted));
                    let message = format!("the array is indexed by {needs}, not by {is}");
                    let help = self.why_different(wanted, index.of);
                    self.error(index.span, message).help = help;
                    return None;
                }
                place.selectors.push(Selector::Element(index));
                Some(Place { of: element, span, ..place })
            }
            _ => {
                let message = "expected a designator: a variable, perhaps with fields and indices";
                self.error(span, message);
                None
            }
        }
    }

    pub(super) fn field(&mut self, of: TypeId, base: Span, field: &Name) -> Option<(u32, TypeId)> {
        let Type::Record(fields) = self.types.get(of) else {
            let shown = self.types.show(of);
            let message = format!("a value of type {shown} has no fields: it is not a record");
            self.error(base, message);
            return None;
        };
        if let Some(position) = fields.iter().position(|(name, _)| *name == field.text) {
            return Some((position as u32, fields[position].1));
        }
        let names = fields.iter().map(|(name, _)| &name[..]);
        let help = match nearest(&field.text, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its fields are {}", names.collect::<Vec<_>>().join(", ")),
        };
        let message = format!("the record has no field `{}`", field.text);
        self.error(field.place, message).help = Some(help);
        None
    }

    /// The position of an element in a multiset of this type: a name bound by `choose` or a
    /// multiset function.
    pub(super) fn position(&mut self, tree: &syntax::Expression, of: TypeId) -> Option<LocalId> {
        let span = tree.place.0;
        if let syntax::ExpressionKind::Name(name) = &tree.kind
            && let ScopeSymbol::Local(id) = self.symbol(name, span)?
            && let Some(&multiset) = self.frame.chosen.get(&id)
        {
            if multiset == of {
                return Some(id);
            }
            let message = format!("`{name}` stands for an element of another multiset");
            self.error(span, message);
            return None;
        }
        self.error(span, "the elements of a multiset have no numbers").help = Some(
            "bind one with `choose i: m do ... end`, `MultiSetCount(i: m, ...)` or \
             `MultiSetRemovePred(i: m, ...)`"
                .to_owned(),
        );
        None
    }

    /// A multiset with a name for its elements, and a condition on them.
    pub(super) fn element(
        &mut self,
        name: &Name,
        multiset: &syntax::Expression,
        condition: &syntax::Expression,
    ) -> Option<(LocalId, Place, Expression)> {
        let multiset = self.multiset(multiset);
        self.scopes.enter();
        let local = self.chosen(name, multiset.as_ref());
        let condition = self.boolean(condition);
        self.scopes.leave();
        Some((local?, multiset?, condition?))
    }

    /// A designator of a multiset.
    pub(super) fn multiset(&mut self, tree: &syntax::Expression) -> Option<Place> {
        let place = self.place(tree)?;
        if let Type::Multiset { .. } = self.types.get(place.of) {
            return Some(place);
        }
        let shown = self.types.show(place.of);
        let message = format!("expected a multiset, found a value of type {shown}");
        self.error(place.span, message);
        None
    }

    /// Declares a name for the position of an element.
    pub(super) fn chosen(&mut self, name: &Name, multiset: Option<&Place>) -> Option<LocalId> {
        let Some(of) = multiset.map(|place| place.of) else {
            self.declare(name, ScopeSymbol::Broken);
            return None;
        };
        let Type::Multiset { element, .. } = *self.types.get(of) else {
            unreachable!("`multiset` returns places of multisets only")
        };
        let local = self.local(name, element, LocalKind::Chosen);
        self.frame.chosen.insert(local, of);
        Some(local)
    }
}

/// Temporal operators that were written without blanks between them, separated: `GF`.
fn operators_apart(name: &str) -> Option<String> {
    let is_chain = name.len() > 1 && name.chars().all(|c| "GFX".contains(c));
    is_chain.then(|| name.chars().map(String::from).collect::<Vec<_>>().join(" "))
}

/// Words of other languages, with advice how to write them here.
const ELSEWHERE: [(&str, &str); 12] = [
    ("not", "negation is written `!`"),
    ("and", "conjunction is written `&`"),
    ("or", "disjunction is written `|`"),
    ("always", "in a formula, \"always\" is written `G`"),
    ("globally", "in a formula, \"always\" is written `G`"),
    ("eventually", "in a formula, \"at some time\" is written `F`"),
    ("finally", "in a formula, \"at some time\" is written `F`"),
    ("bool", "the type is called `boolean`"),
    ("int", "a number has a range: `0..7`"),
    ("integer", "a number has a range: `0..7`"),
    (
        "AG",
        "formulas are about runs, not about branching time: \"always\" is `G`; `liveness e` is AG EF e",
    ),
    (
        "EF",
        "formulas are about runs, not about branching time: `cover e` says that e can be reached",
    ),
];
