//! Declarations: sorts, colours, variables, partitions.
//!
//! A sort may be used before it is declared, so that sorts are resolved when they are needed.

use super::xml::{attribute, elements, name, required, span};
use super::{number, unknown};
use crate::net::{Class, Partition};
use hashbrown::HashMap;
use roxmltree::Node;
use run::Diagnostic;

/// A product of classes.
pub(super) type Sort = Vec<usize>;

/// A class may not have more colours.
const MOST_COLOURS: u64 = 10_000_000;

/// All that a net declares.
pub(super) struct Declarations<'a, 'i> {
    pub(super) classes: Vec<Class>,
    pub(super) partitions: Vec<Partition>,
    pub(super) variables: Vec<Declared>,
    /// By id: class and position.
    pub(super) colours: HashMap<&'a str, (usize, u32)>,
    pub(super) variable_ids: HashMap<&'a str, usize>,
    pub(super) partition_ids: HashMap<&'a str, usize>,
    sorts: HashMap<&'a str, Named<'a, 'i>>,
    /// Classes of numbers, by the least and the greatest.
    ranges: HashMap<(i64, i64), usize>,
}

/// A variable of the net.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) sort: Sort,
}

#[derive(Clone)]
enum Named<'a, 'i> {
    Unresolved(Node<'a, 'i>),
    /// It is being resolved: to meet it again is a cycle.
    Open,
    Known(Sort),
}

impl<'a, 'i: 'a> Declarations<'a, 'i> {
    /// All declarations of a net, on whatever page.
    pub(super) fn read(net: Node<'a, 'i>) -> Result<Self, Diagnostic> {
        let mut declared = Declarations {
            classes: Vec::new(),
            partitions: Vec::new(),
            variables: Vec::new(),
            colours: HashMap::new(),
            variable_ids: HashMap::new(),
            partition_ids: HashMap::new(),
            sorts: HashMap::new(),
            ranges: HashMap::new(),
        };
        let all: Vec<Node> = net
            .descendants()
            .filter(|one| one.is_element() && name(*one) == "declarations")
            .flat_map(elements)
            .collect();
        for &node in &all {
            match name(node) {
                "namedsort" | "partition" => {
                    let id = attribute(node, "id")?;
                    if declared.sorts.insert(id, Named::Unresolved(node)).is_some() {
                        return Err(Diagnostic::error(
                            span(node),
                            format!("the sort `{id}` is declared twice"),
                        ));
                    }
                }
                "variabledecl" => {}
                other => {
                    return Err(unknown(
                        node,
                        &format!("`<{other}>` is not known as a declaration"),
                    ));
                }
            }
        }
        for &node in &all {
            match name(node) {
                "variabledecl" => declared.variable(node)?,
                _ => {
                    declared.named(attribute(node, "id")?, node)?;
                }
            }
        }
        Ok(declared)
    }

    fn variable(&mut self, node: Node<'a, 'i>) -> Result<(), Diagnostic> {
        let id = attribute(node, "id")?;
        let sort = self.sort_inside(node)?;
        let shown = node.attribute("name").unwrap_or(id).to_owned();
        if self.variable_ids.insert(id, self.variables.len()).is_some() {
            return Err(Diagnostic::error(
                span(node),
                format!("the variable `{id}` is declared twice"),
            ));
        }
        self.variables.push(Declared { name: shown, sort });
        Ok(())
    }

    /// The sort of an id.
    fn named(&mut self, id: &'a str, user: Node<'a, 'i>) -> Result<Sort, Diagnostic> {
        let node = match self.sorts.get(id) {
            Some(Named::Known(sort)) => return Ok(sort.clone()),
            Some(Named::Unresolved(node)) => *node,
            Some(Named::Open) => {
                let message = format!("the sort `{id}` is made of itself");
                return Err(Diagnostic::error(span(user), message));
            }
            None if id == "dot" => return Ok(Vec::new()),
            None => {
                return Err(Diagnostic::error(span(user), format!("there is no sort `{id}`")));
            }
        };
        self.sorts.insert(id, Named::Open);
        let shown = node.attribute("name").unwrap_or(id);
        let sort = if name(node) == "partition" {
            vec![self.partition(id, shown, node)?]
        } else {
            let Some(of) = elements(node).next() else {
                return Err(Diagnostic::error(span(node), "this sort is not defined"));
            };
            self.sort(of, shown)?
        };
        self.sorts.insert(id, Named::Known(sort.clone()));
        Ok(sort)
    }

    /// The sort that is the only element inside another one.
    pub(super) fn sort_inside(&mut self, node: Node<'a, 'i>) -> Result<Sort, Diagnostic> {
        let Some(of) = elements(node).find(|one| name(*one) != "name") else {
            return Err(Diagnostic::error(span(node), "a sort is expected inside"));
        };
        self.sort(of, "")
    }

    /// The sort of an element. An enumeration is a class of this name.
    fn sort(&mut self, node: Node<'a, 'i>, shown: &str) -> Result<Sort, Diagnostic> {
        match name(node) {
            "dot" => Ok(Vec::new()),
            "usersort" => self.named(attribute(node, "declaration")?, node),
            "productsort" => {
                let mut sort = Vec::new();
                for part in elements(node) {
                    sort.extend(self.sort(part, "")?);
                }
                let tuples = sort.iter().try_fold(1_u64, |product, &class| {
                    product.checked_mul(self.classes[class].colours.len() as u64)
                });
                if tuples.is_none_or(|tuples| tuples > 1 << 60) {
                    return Err(Diagnostic::error(
                        span(node),
                        "this product has more than 2^60 tuples",
                    ));
                }
                Ok(sort)
            }
            "cyclicenumeration" | "finiteenumeration" => {
                let class = self.classes.len();
                let mut colours = Vec::new();
                for one in elements(node) {
                    if name(one) != "feconstant" {
                        return Err(unknown(one, "a colour is expected, `<feconstant>`"));
                    }
                    let id = attribute(one, "id")?;
                    if self.colours.insert(id, (class, colours.len() as u32)).is_some() {
                        return Err(Diagnostic::error(
                            span(one),
                            format!("the id `{id}` is used twice"),
                        ));
                    }
                    colours.push(one.attribute("name").unwrap_or(id).to_owned());
                }
                let is_cyclic = name(node) == "cyclicenumeration";
                self.class(Class { name: shown.to_owned(), colours, is_cyclic }, node)
            }
            "finiteintrange" => self.range(node, shown),
            "bool" | "integer" | "natural" | "positive" | "string" | "list" | "multisetsort" => {
                Err(unknown(node, &format!("tokens of the sort `<{}>` are not known", name(node))))
            }
            other => Err(unknown(node, &format!("`<{other}>` is not known as a sort"))),
        }
    }

    fn class(&mut self, class: Class, node: Node<'a, 'i>) -> Result<Sort, Diagnostic> {
        if class.colours.is_empty() {
            return Err(Diagnostic::error(span(node), "this sort has no colours"));
        }
        self.classes.push(class);
        Ok(vec![self.classes.len() - 1])
    }

    /// The class of a range of numbers: ranges with the same bounds are one class.
    pub(super) fn range(&mut self, node: Node<'a, 'i>, shown: &str) -> Result<Sort, Diagnostic> {
        let bound = |of: &str| {
            let written = attribute(node, of)?;
            written.trim().parse::<i64>().map_err(|_| {
                Diagnostic::error(span(node), format!("`{of}` is no number: `{written}`"))
            })
        };
        let (low, high) = (bound("start")?, bound("end")?);
        if let Some(&known) = self.ranges.get(&(low, high)) {
            return Ok(vec![known]);
        }
        if high < low || high.abs_diff(low) >= MOST_COLOURS {
            let message = format!("a range of 1 to {MOST_COLOURS} numbers is expected");
            return Err(Diagnostic::error(span(node), message));
        }
        self.ranges.insert((low, high), self.classes.len());
        let colours = (low..=high).map(|number| number.to_string()).collect();
        let shown = if shown.is_empty() { format!("{low}..{high}") } else { shown.to_owned() };
        self.class(Class { name: shown, colours, is_cyclic: false }, node)
    }

    /// The class of the elements of a partition.
    fn partition(
        &mut self,
        id: &'a str,
        shown: &str,
        node: Node<'a, 'i>,
    ) -> Result<usize, Diagnostic> {
        let of = required(node, "usersort")?;
        let sort = self.sort(of, "")?;
        let [class] = sort[..] else {
            return Err(Diagnostic::error(span(of), "only a class of colours can be divided"));
        };
        let mut element_of = vec![None; self.classes[class].colours.len()];
        let elements_class = self.classes.len();
        let mut names = Vec::new();
        for part in elements(node).filter(|one| name(*one) == "partitionelement") {
            let part_id = attribute(part, "id")?;
            let number = names.len() as u32;
            if self.colours.insert(part_id, (elements_class, number)).is_some() {
                return Err(Diagnostic::error(
                    span(part),
                    format!("the id `{part_id}` is used twice"),
                ));
            }
            names.push(part.attribute("name").unwrap_or(part_id).to_owned());
            for colour in elements(part) {
                let at = self.colour_of(colour, class)?;
                if element_of[at as usize].replace(number).is_some() {
                    return Err(Diagnostic::error(span(colour), "this colour is in two parts"));
                }
            }
        }
        let element_of: Option<Vec<u32>> = element_of.into_iter().collect();
        let Some(element_of) = element_of else {
            return Err(Diagnostic::error(span(node), "this partition leaves a colour out"));
        };
        self.class(Class { name: shown.to_owned(), colours: names, is_cyclic: false }, node)?;
        self.partition_ids.insert(id, self.partitions.len());
        self.partitions.push(Partition { class, elements: elements_class, element_of });
        Ok(elements_class)
    }

    /// A colour that is named in a partition.
    fn colour_of(&mut self, node: Node<'a, 'i>, class: usize) -> Result<u32, Diagnostic> {
        let (of, at) = match name(node) {
            "finiteintrangeconstant" => self.number(node)?,
            _ => self.colour(attribute(node, "declaration")?, node)?,
        };
        if of != class {
            let message = format!("this is no colour of `{}`", self.classes[class].name);
            return Err(Diagnostic::error(span(node), message));
        }
        Ok(at)
    }

    /// The colour of an id.
    pub(super) fn colour(&self, id: &str, node: Node<'a, 'i>) -> Result<(usize, u32), Diagnostic> {
        self.colours
            .get(id)
            .copied()
            .ok_or_else(|| Diagnostic::error(span(node), format!("there is no colour `{id}`")))
    }

    /// The colour of a number of a range.
    pub(super) fn number(&mut self, node: Node<'a, 'i>) -> Result<(usize, u32), Diagnostic> {
        let written = attribute(node, "value")?.trim();
        let range = required(node, "finiteintrange")?;
        let class = self.range(range, "")?[0];
        let at = self.classes[class].colours.iter().position(|one| one == written);
        let Some(at) = at else {
            let message = format!("`{written}` is no number of this range");
            return Err(Diagnostic::error(span(node), message));
        };
        Ok((class, at as u32))
    }
}

/// The number of a `<numberconstant>`.
pub(super) fn coefficient(node: Node<'_, '_>) -> Result<u64, Diagnostic> {
    if name(node) != "numberconstant" {
        let message = format!("a number is expected, but this is `<{}>`", name(node));
        return Err(Diagnostic::error(span(node), message));
    }
    number(attribute(node, "value")?.trim(), node)
}
