//! Property files of the Model Checking Contest.

use crate::formula::{Builder, Condition, Formula, Sum, Value};
use crate::net::Net;
use crate::pnml::xml::{self, child, elements, name, required, span, text};
use ltl::Node as Ltl;
use roxmltree::Node;
use run::{Diagnostic, Span};

/// A property of a file.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub question: Question,
    /// Where it is written.
    pub span: Span,
}

/// What a property asks.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether all runs satisfy a formula.
    All(Formula),
    /// Whether some marking that can be reached satisfies a condition: the formula says that none does.
    Some(Formula),
    /// The most tokens of these places together.
    Bound(Vec<usize>),
}

/// The properties of a text.
pub fn parse(text: &str, net: &Net) -> Result<Vec<Property>, Diagnostic> {
    let document = xml::document(text)?;
    let root = document.root_element();
    if name(root) != "property-set" {
        let message =
            format!("properties are expected, in `<property-set>`, but this is `<{}>`", name(root));
        return Err(Diagnostic::error(span(root), message));
    }
    let names = Names::of(net);
    let mut properties = Vec::new();
    for node in elements(root) {
        if name(node) != "property" {
            return Err(Diagnostic::error(span(node), "a `<property>` is expected"));
        }
        let id = required(node, "id").map(text_of)?.to_owned();
        let formula = required(node, "formula")?;
        let Some(of) = elements(formula).next() else {
            return Err(Diagnostic::error(span(formula), "there is no formula inside"));
        };
        let question = names.question(of, &id)?;
        properties.push(Property { id, question, span: span(node) });
    }
    Ok(properties)
}

fn text_of<'a>(node: Node<'a, '_>) -> &'a str {
    text(node)
}

/// Places and transitions by their ids.
struct Names<'n> {
    places: hashbrown::HashMap<&'n str, usize>,
    transitions: hashbrown::HashMap<&'n str, usize>,
}

impl<'n> Names<'n> {
    fn of(net: &'n Net) -> Names<'n> {
        let places = net.places.iter().enumerate().map(|(at, one)| (one.id.as_str(), at));
        let transitions = net.transitions.iter().enumerate().map(|(at, one)| (one.id.as_str(), at));
        Names { places: places.collect(), transitions: transitions.collect() }
    }

    fn question(&self, node: Node<'_, '_>, id: &str) -> Result<Question, Diagnostic> {
        match name(node) {
            "place-bound" => Ok(Question::Bound(self.places(node)?)),
            "all-paths" => {
                let mut builder = Builder::default();
                let value = self.temporal(only(node)?, &mut builder)?;
                Ok(Question::All(builder.finish(value, id.to_owned())))
            }
            "exists-path" => {
                let finally = only(node)?;
                if name(finally) != "finally" {
                    let message =
                        "`<finally>` is expected: whether a run exists is asked of markings only";
                    return Err(Diagnostic::error(span(finally), message));
                }
                let condition = self.condition(only(finally)?)?;
                let mut builder = Builder::default();
                let never = builder.temporal(Value::Condition(condition.negated()));
                let value = builder.node(Ltl::Globally(never));
                Ok(Question::Some(builder.finish(value, id.to_owned())))
            }
            other => Err(unknown(node, other)),
        }
    }

    fn places(&self, node: Node<'_, '_>) -> Result<Vec<usize>, Diagnostic> {
        let find = |one: Node<'_, '_>| {
            if name(one) != "place" {
                return Err(unknown(one, name(one)));
            }
            let id = text(one);
            self.places
                .get(id)
                .copied()
                .ok_or_else(|| Diagnostic::error(span(one), format!("the net has no place `{id}`")))
        };
        elements(node).map(find).collect()
    }

    /// A formula; only [`Names::condition`] may stand below the last temporal operator.
    fn temporal(&self, node: Node<'_, '_>, builder: &mut Builder) -> Result<Value, Diagnostic> {
        let value = match name(node) {
            "globally" | "finally" | "next" => {
                let operand = self.temporal(only(node)?, builder)?;
                let operand = builder.temporal(operand);
                builder.node(match name(node) {
                    "globally" => Ltl::Globally(operand),
                    "finally" => Ltl::Finally(operand),
                    _ => Ltl::Next(operand),
                })
            }
            "until" => {
                let before = self.temporal(only(required(node, "before")?)?, builder)?;
                let reach = self.temporal(only(required(node, "reach")?)?, builder)?;
                let (before, reach) = (builder.temporal(before), builder.temporal(reach));
                builder.node(Ltl::Until(before, reach))
            }
            "negation" => {
                let operand = self.temporal(only(node)?, builder)?;
                builder.not(operand)
            }
            "conjunction" | "disjunction" => {
                let operands: Result<Vec<Value>, Diagnostic> =
                    elements(node).map(|one| self.temporal(one, builder)).collect();
                builder.join(name(node) == "conjunction", operands?)
            }
            _ => Value::Condition(self.condition(node)?),
        };
        if builder.depth(&value) > ltl::parser::NESTING_LIMIT {
            return Err(Diagnostic::error(span(node), "the formula is nested too deep"));
        }
        Ok(value)
    }

    fn condition(&self, node: Node<'_, '_>) -> Result<Condition, Diagnostic> {
        match name(node) {
            "negation" => Ok(self.condition(only(node)?)?.negated()),
            "conjunction" | "disjunction" => {
                let parts: Result<Vec<Condition>, Diagnostic> =
                    elements(node).map(|one| self.condition(one)).collect();
                let parts = parts?;
                Ok(if name(node) == "conjunction" {
                    Condition::and(parts)
                } else {
                    Condition::or(parts)
                })
            }
            "true" => Ok(Condition::Constant(true)),
            "false" => Ok(Condition::Constant(false)),
            "is-fireable" => {
                let find = |one: Node<'_, '_>| {
                    if name(one) != "transition" {
                        return Err(unknown(one, name(one)));
                    }
                    let id = text(one);
                    self.transitions.get(id).copied().ok_or_else(|| {
                        Diagnostic::error(span(one), format!("the net has no transition `{id}`"))
                    })
                };
                let transitions: Result<Vec<usize>, Diagnostic> =
                    elements(node).map(find).collect();
                Ok(Condition::fireable(transitions?))
            }
            "integer-le" => {
                let operands: Vec<Node> = elements(node).collect();
                let [left, right] = operands[..] else {
                    return Err(Diagnostic::error(
                        span(node),
                        "`<integer-le>` compares two numbers",
                    ));
                };
                Ok(Condition::at_most(&self.sum(left)?, &self.sum(right)?))
            }
            other => Err(unknown(node, other)),
        }
    }

    fn sum(&self, node: Node<'_, '_>) -> Result<Sum, Diagnostic> {
        match name(node) {
            "integer-constant" => {
                let written = text(node);
                let number =
                    written.parse::<i64>().ok().filter(|one| one.unsigned_abs() <= 1 << 60);
                let number = number.ok_or_else(|| {
                    Diagnostic::error(
                        span(node),
                        format!("a number is expected, but this is `{written}`"),
                    )
                })?;
                Ok(Sum::new(number, []))
            }
            "tokens-count" => {
                Ok(Sum::new(0, self.places(node)?.into_iter().map(|place| (1, place))))
            }
            other => Err(unknown(node, other)),
        }
    }
}

/// The only element inside another one.
fn only<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Diagnostic> {
    let mut inside = elements(node);
    match (inside.next(), inside.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(Diagnostic::error(span(node), format!("`<{}>` has one operand", name(node)))),
    }
}

fn unknown(node: Node<'_, '_>, what: &str) -> Diagnostic {
    let _ = child(node, "");
    Diagnostic::error(span(node), format!("`<{what}>` is not known here"))
}
