//! PNML: the XML of Petri nets (ISO/IEC 15909-2), to [`Net`]s.
//!
//! Read are place/transition nets and symmetric nets; what has no meaning for their behaviour (graphics,
//! other tools' remarks) is skipped, and whatever else is not known is refused, with its place.

mod declarations;
mod expressions;
pub(crate) mod xml;

use crate::net::{Arc, Guard, Net, Part, Place, Tokens, Transition, Variable};
use declarations::Declarations;
use expressions::{Scope, Sum};
use hashbrown::HashMap;
use roxmltree::Node;
use run::{Diagnostic, Span};
use xml::{attribute, child, elements, label, name, required, span, text};

/// More tokens than this are nowhere: in no arc, and in no place of a marking.
pub const MOST_TOKENS: u64 = 1 << 40;

/// Markings that are written down as sums have at most so many different colours in a place.
const MOST_COLOURS: u64 = 10_000_000;

/// The net of a text.
pub fn parse(text: &str) -> Result<Net, Diagnostic> {
    let document = xml::document(text)?;
    let root = document.root_element();
    if name(root) != "pnml" {
        let message = format!("a net is expected, in `<pnml>`, but this is `<{}>`", name(root));
        return Err(Diagnostic::error(span(root), message));
    }
    let mut nets = elements(root).filter(|one| name(*one) == "net");
    let Some(net) = nets.next() else {
        return Err(Diagnostic::error(span(root), "there is no `<net>` inside"));
    };
    if let Some(second) = nets.next() {
        return Err(Diagnostic::error(span(second), "this is a second net, and one is expected"));
    }
    let kind = attribute(net, "type")?;
    let is_coloured = match kind.rsplit('/').next().unwrap_or(kind) {
        "ptnet" | "PTNet" => false,
        "symmetricnet" | "highlevelnet" | "hlcore" | "pt-hlpng" => true,
        _ => {
            let message = format!("a net of type `{kind}` is not known");
            return Err(Diagnostic::error(span(net), message).help(
                "place/transition nets (`.../ptnet`) and symmetric nets (`.../symmetricnet`) are",
            ));
        }
    };
    Reader::new(net, is_coloured)?.read()
}

/// Reads a net.
struct Reader<'a, 'i> {
    net: Node<'a, 'i>,
    is_coloured: bool,
    declared: Declarations<'a, 'i>,
    places: Vec<Place>,
    transitions: Vec<Reading>,
    /// Nodes by their ids; references to nodes are resolved before.
    nodes: HashMap<&'a str, (Kind, Span)>,
    references: HashMap<&'a str, (&'a str, Span)>,
    arcs: Vec<Node<'a, 'i>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Place(usize),
    Transition(usize),
}

/// A transition whose arcs are not all known.
struct Reading {
    transition: Transition,
    scope: Scope,
}

impl<'a, 'i: 'a> Reader<'a, 'i> {
    fn new(net: Node<'a, 'i>, is_coloured: bool) -> Result<Self, Diagnostic> {
        let declared = Declarations::read(net)?;
        Ok(Reader {
            net,
            is_coloured,
            declared,
            places: Vec::new(),
            transitions: Vec::new(),
            nodes: HashMap::new(),
            references: HashMap::new(),
            arcs: Vec::new(),
        })
    }

    fn read(mut self) -> Result<Net, Diagnostic> {
        self.objects(self.net)?;
        for arc in std::mem::take(&mut self.arcs) {
            self.arc(arc)?;
        }
        self.safe(self.net)?;
        let name = self.net.attribute("id").unwrap_or("net").to_owned();
        let transitions = self.transitions.into_iter().map(|one| one.finished(&self.declared));
        let transitions: Vec<Transition> = transitions.collect();
        let Declarations { classes, partitions, .. } = self.declared;
        Ok(Net { name, classes, partitions, places: self.places, transitions })
    }

    /// The nodes of a page, or of the whole net.
    fn objects(&mut self, page: Node<'a, 'i>) -> Result<(), Diagnostic> {
        for node in elements(page) {
            match name(node) {
                "page" => self.objects(node)?,
                "place" => self.place(node)?,
                "transition" => self.transition(node)?,
                "arc" => self.arcs.push(node),
                "referencePlace" | "referenceTransition" => {
                    let id = attribute(node, "id")?;
                    let to = attribute(node, "ref")?;
                    self.references.insert(id, (to, span(node)));
                }
                "name" | "graphics" | "toolspecific" | "declaration" => {}
                other => return Err(unknown(node, &format!("`<{other}>` is no part of a net"))),
            }
        }
        Ok(())
    }

    fn declare(&mut self, node: Node<'a, 'i>, kind: Kind) -> Result<(String, String), Diagnostic> {
        let id = attribute(node, "id")?;
        let place = span(node);
        if let Some((_, before)) = self.nodes.insert(id, (kind, place)) {
            return Err(Diagnostic::error(place, format!("the id `{id}` is used twice"))
                .related(before, "here, too"));
        }
        let shown = child(node, "name").and_then(label).filter(|one| !one.is_empty());
        Ok((id.to_owned(), shown.unwrap_or(id).to_owned()))
    }

    fn place(&mut self, node: Node<'a, 'i>) -> Result<(), Diagnostic> {
        let (id, shown) = self.declare(node, Kind::Place(self.places.len()))?;
        let (mut sort, mut initial) = (Vec::new(), Tokens::new());
        if let Some(of) = child(node, "type")
            && self.is_coloured
        {
            sort = self.declared.sort_inside(required(of, "structure")?)?;
        } else if self.is_coloured {
            return Err(Diagnostic::error(span(node), "this place has no `<type>`"));
        }
        for part in elements(node) {
            match name(part) {
                "initialMarking" => {
                    let tokens = count(part)?;
                    if !sort.is_empty() {
                        let message = "the tokens of this place have colours";
                        return Err(Diagnostic::error(span(part), message)
                            .help("write a term into `<hlinitialMarking>`"));
                    }
                    if tokens > 0 {
                        initial.insert(0, tokens);
                    }
                }
                "hlinitialMarking" if self.is_coloured => {
                    let structure = required(part, "structure")?;
                    if let Some(term) = elements(structure).next() {
                        let sum = self.declared.sum(term, &sort, &mut Scope::ground())?;
                        initial = self.marking(&sum, &sort, span(term))?;
                    }
                }
                "name" | "graphics" | "toolspecific" | "type" => {}
                other => {
                    return Err(unknown(part, &format!("`<{other}>` is no part of a place")));
                }
            }
        }
        let place = Place { id, name: shown, sort, initial, safe: None, span: span(node) };
        self.places.push(place);
        Ok(())
    }

    /// The tokens of a sum without variables.
    fn marking(&self, sum: &Sum, sort: &[usize], place: Span) -> Result<Tokens, Diagnostic> {
        let size = |class: usize| self.declared.classes[class].colours.len() as u64;
        let mut tokens: HashMap<u64, i64> = HashMap::new();
        for (coefficient, parts) in sum {
            let mut codes = vec![0_u64];
            for (part, &class) in parts.iter().zip(sort) {
                let colours = match part {
                    Part::All => 0..size(class),
                    Part::One(term) => {
                        let at = u64::from(expressions::ground(term));
                        at..at + 1
                    }
                };
                if codes.len() as u64 * (colours.end - colours.start) > MOST_COLOURS {
                    let message = format!("this stands for more than {MOST_COLOURS} colours");
                    return Err(Diagnostic::error(place, message));
                }
                codes = codes
                    .into_iter()
                    .flat_map(|code| colours.clone().map(move |at| code * size(class) + at))
                    .collect();
            }
            for code in codes {
                *tokens.entry(code).or_default() += coefficient;
            }
        }
        let mut marking = Tokens::new();
        for (code, number) in tokens {
            match u64::try_from(number) {
                Ok(0) => {}
                Ok(number) if number <= MOST_TOKENS => {
                    marking.insert(code, number);
                }
                Ok(_) => return Err(too_many(place)),
                Err(_) => {
                    let message = "more tokens are subtracted here than there are";
                    return Err(Diagnostic::error(place, message));
                }
            }
        }
        Ok(marking)
    }

    fn transition(&mut self, node: Node<'a, 'i>) -> Result<(), Diagnostic> {
        let (id, shown) = self.declare(node, Kind::Transition(self.transitions.len()))?;
        let (mut guard, mut scope) = (Guard::Constant(true), Scope::default());
        for part in elements(node) {
            match name(part) {
                "condition" if self.is_coloured => {
                    let structure = required(part, "structure")?;
                    if let Some(term) = elements(structure).next() {
                        guard = self.declared.guard(term, &mut scope)?;
                    }
                }
                "name" | "graphics" | "toolspecific" => {}
                other => {
                    return Err(unknown(part, &format!("`<{other}>` is no part of a transition")));
                }
            }
        }
        let transition = Transition {
            id,
            name: shown,
            variables: Vec::new(),
            guard,
            inputs: Vec::new(),
            outputs: Vec::new(),
            span: span(node),
        };
        self.transitions.push(Reading { transition, scope });
        Ok(())
    }

    /// The node at an end of an arc.
    fn end(&self, arc: Node<'a, 'i>, of: &str) -> Result<Kind, Diagnostic> {
        let mut id = attribute(arc, of)?;
        let mut seen = 0;
        while let Some(&(to, place)) = self.references.get(id) {
            seen += 1;
            if seen > self.references.len() {
                return Err(Diagnostic::error(place, "this reference refers to itself"));
            }
            id = to;
        }
        let found = self.nodes.get(id).map(|(kind, _)| *kind);
        found.ok_or_else(|| {
            Diagnostic::error(span(arc), format!("there is no place or transition `{id}`"))
        })
    }

    fn arc(&mut self, node: Node<'a, 'i>) -> Result<(), Diagnostic> {
        let (source, target) = (self.end(node, "source")?, self.end(node, "target")?);
        let (place, transition, is_input) = match (source, target) {
            (Kind::Place(place), Kind::Transition(transition)) => (place, transition, true),
            (Kind::Transition(transition), Kind::Place(place)) => (place, transition, false),
            _ => {
                let message = "an arc leads from a place to a transition, or back";
                return Err(Diagnostic::error(span(node), message));
            }
        };
        let sort = self.places[place].sort.clone();
        let mut sum: Option<Sum> = None;
        for part in elements(node) {
            match name(part) {
                "inscription" if sort.is_empty() => {
                    sum = Some(vec![(signed(count(part)?), Vec::new())]);
                }
                "inscription" => {
                    let message = "the tokens of this place have colours";
                    return Err(Diagnostic::error(span(part), message)
                        .help("write a term into `<hlinscription>`"));
                }
                "hlinscription" if self.is_coloured => {
                    let structure = required(part, "structure")?;
                    let Some(term) = elements(structure).next() else {
                        return Err(Diagnostic::error(span(structure), "there is no term inside"));
                    };
                    let scope = &mut self.transitions[transition].scope;
                    sum = Some(self.declared.sum(term, &sort, scope)?);
                }
                "type" => {
                    let kind = part.attribute("value").or(label(part)).unwrap_or("");
                    if kind != "normal" {
                        let message = format!("arcs of type `{kind}` are not known");
                        return Err(unknown(part, &message));
                    }
                }
                "name" | "graphics" | "toolspecific" => {}
                other => return Err(unknown(part, &format!("`<{other}>` is no part of an arc"))),
            }
        }
        let sum = match sum {
            Some(sum) => sum,
            None if sort.is_empty() => vec![(1, Vec::new())],
            None => return Err(Diagnostic::error(span(node), "this arc has no `<hlinscription>`")),
        };
        let of = &mut self.transitions[transition].transition;
        let arcs = if is_input { &mut of.inputs } else { &mut of.outputs };
        match arcs.iter_mut().find(|one| one.place == place) {
            Some(known) => known.sum.extend(sum),
            None => arcs.push(Arc { place, sum, span: span(node) }),
        }
        Ok(())
    }

    /// The hint that a net is made of units in each of which at most one place has a token.
    fn safe(&mut self, net: Node<'a, 'i>) -> Result<(), Diagnostic> {
        for node in net.descendants().filter(|one| one.is_element() && name(*one) == "toolspecific")
        {
            let Some(structure) = child(node, "structure") else { continue };
            if node.attribute("tool") != Some("nupn") || structure.attribute("safe") != Some("true")
            {
                continue;
            }
            for unit in elements(structure).filter(|one| name(*one) == "unit") {
                for id in child(unit, "places").map_or("", text).split_whitespace() {
                    let Some((Kind::Place(at), _)) = self.nodes.get(id) else {
                        let message = format!("there is no place `{id}`, which a unit has");
                        return Err(Diagnostic::error(span(unit), message));
                    };
                    self.places[*at].safe = Some(span(structure));
                }
            }
        }
        Ok(())
    }
}

impl Reading {
    /// The transition, with its variables in the order of their declaration, and its arcs in order.
    fn finished(self, declared: &Declarations<'_, '_>) -> Transition {
        let Reading { mut transition, scope } = self;
        let order = scope.in_order();
        let mut position = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old] = new;
        }
        transition.variables = order
            .iter()
            .map(|&old| {
                let (variable, component) = scope.used[old];
                let of = &declared.variables[variable];
                let name = if of.sort.len() == 1 {
                    of.name.clone()
                } else {
                    format!("{}.{}", of.name, component + 1)
                };
                Variable { name, class: of.sort[component] }
            })
            .collect();
        expressions::renumber_guard(&mut transition.guard, &position);
        for arcs in [&mut transition.inputs, &mut transition.outputs] {
            for arc in arcs.iter_mut() {
                expressions::renumber_sum(&mut arc.sum, &position);
                arc.sum = expressions::collected(std::mem::take(&mut arc.sum));
            }
            arcs.retain(|arc| !arc.sum.is_empty());
            arcs.sort_by_key(|arc| arc.place);
        }
        transition
    }
}

/// The number that is written in an element.
fn count(node: Node<'_, '_>) -> Result<u64, Diagnostic> {
    let written = label(node).unwrap_or_else(|| text(node));
    number(written, node)
}

/// A number of tokens.
fn number(written: &str, node: Node<'_, '_>) -> Result<u64, Diagnostic> {
    let is_number = !written.is_empty() && written.chars().all(|c| c.is_ascii_digit());
    if !is_number {
        let message = format!("a number of tokens is expected, but this is `{written}`");
        return Err(Diagnostic::error(span(node), message));
    }
    written.parse().ok().filter(|&number| number <= MOST_TOKENS).ok_or_else(|| too_many(span(node)))
}

fn too_many(place: Span) -> Diagnostic {
    Diagnostic::error(place, format!("more than {MOST_TOKENS} tokens cannot be counted"))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).expect("numbers of tokens are limited")
}

fn unknown(node: Node<'_, '_>, message: &str) -> Diagnostic {
    Diagnostic::error(span(node), message)
        .help("place/transition nets and symmetric nets can be read, and nothing beyond")
}
