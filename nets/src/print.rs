//! A net as a model text, which means the same: with as many states and steps, and the same verdicts.
//!
//! - A class is a `scalarset`, or a `union` of one for each block, a `ring`, or a range of numbers, by the
//!   symmetries that leave the initial marking unchanged: models have symmetric start states.
//! - A place is an array of numbers of tokens over the classes of its sort.
//! - A transition is a rule inside a `ruleset` for its variables, so that each binding is a step. All rules
//!   belong to one process, because a net has none.
//!
//! An arc of one tuple is a condition on one cell, and an assignment to it. Other arcs are compared with,
//! and added to, all cells of their place: a cell gets the sum of those terms that stand for it.
//!
//! Numbers of tokens are limited by the constant `TOKENS`; a step beyond it is an error of the model at run
//! time, so that no token is lost in silence.

use crate::formula::{Atom, Condition, Formula, Sum};
use crate::net::{Arc, Base, Comparison, Guard, Net, Part, Side, Term, Tokens, Transition};
use crate::pnml::MOST_TOKENS;
use crate::properties::{Property, Question};
use crate::symmetry::Symmetry;
use ltl::printer::{LENGTH_LIMIT, Syntax, print_named};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use terms::Group;

/// A net in the model language.
#[derive(Clone, Debug)]
pub struct Printed {
    /// Lines of comment: names of the file that are others in the model, and what could not be printed.
    pub remarks: Vec<String>,
    /// The model.
    pub text: String,
}

/// Prints a net, and the formulas among these properties.
pub fn print(net: &Net, properties: &[Property]) -> Printed {
    let initial = |printer: &Printer<'_>| -> Option<Vec<Sums>> {
        let sums = net
            .places
            .iter()
            .map(|place| printer.joined(&place.sort, constant(net, &place.sort, &place.initial)));
        sums.collect()
    };
    let symmetry = Symmetry::of(net, &[]).of_initial(net);
    let printer = Printer::new(net, &symmetry);
    if let Some(initial) = initial(&printer) {
        return printer.print(&initial, properties);
    }
    // Some marking relates colours to each other, as the diagonal of a product: no symmetry, then.
    let symmetry = Symmetry::none(net);
    let printer = Printer::new(net, &symmetry);
    let initial = initial(&printer).expect("no colours are interchangeable");
    printer.print(&initial, properties)
}

/// Tokens as a sum of tuples of constants.
fn constant(net: &Net, sort: &[usize], tokens: &Tokens) -> Vec<(i64, Vec<Part>)> {
    let parts = |code: u64| {
        let colours = net.decode(sort, code).into_iter().zip(sort);
        let part = |(colour, &class): (u32, &usize)| {
            Part::One(Term { base: Base::Colour(colour), shift: 0, size: net.size(class) })
        };
        colours.map(part).collect()
    };
    tokens.iter().map(|(&code, &count)| (count.cast_signed(), parts(code))).collect()
}

/// The type of a class in the model.
enum Kind {
    /// Numbers from 0.
    Range,
    /// Neighbours matter, nothing else.
    Ring,
    /// Blocks of interchangeable colours. By block: the name of its type, or of its only colour.
    Blocks(Vec<String>),
}

/// A component of a tuple, in the model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Component {
    All,
    /// All colours of a block that has several.
    Block(u32),
    One(Term),
}

/// What an arc stands for: coefficients and tuples.
type Sums = Vec<(i64, Vec<Component>)>;

struct Printer<'n> {
    net: &'n Net,
    symmetry: &'n Symmetry,
    kinds: Vec<Kind>,
    classes: Vec<String>,
    places: Vec<String>,
    /// By transition: the names of its variables.
    variables: Vec<Vec<String>>,
    /// Names of cells: as many as the longest sort has components.
    cells: Vec<String>,
    remarks: Vec<String>,
}

/// Names that are given already.
struct Names(BTreeSet<String>);

/// Words that cannot be names of a model, in lower case.
const RESERVED: &str = "alias array assert assume begin boolean case clear const cover do else elsif end enum error \
    exists false for forall function if invariant ismember isundefined liveness ltl of procedure put real record \
    return rule ruleset scalarset startstate switch then to true type undefine union var while endalias endexists \
    endfor endforall endfunction endif endprocedure endrecord endrule endruleset endstartstate endswitch endwhile \
    choose multiset multisetadd multisetcount multisetremove multisetremovepred tokens net";

impl Names {
    /// An identifier like this one.
    fn like(&mut self, text: &str) -> String {
        let fitting = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String = text.chars().map(fitting).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'n');
        }
        let lower = name.to_ascii_lowercase();
        if RESERVED.split_whitespace().any(|word| word == lower) {
            name.push('_');
        }
        // Functions are called so.
        if lower.starts_with("tokens_") || lower.starts_with("fireable_") {
            name.insert_str(0, "n_");
        }
        let mut distinct = name.clone();
        let mut number = 1;
        while !self.0.insert(distinct.to_ascii_lowercase()) {
            number += 1;
            distinct = format!("{name}_{number}");
        }
        distinct
    }
}

impl<'n> Printer<'n> {
    fn new(net: &'n Net, symmetry: &'n Symmetry) -> Printer<'n> {
        let mut names = Names(BTreeSet::new());
        let mut remarks = Vec::new();
        let mut named = |id: &str, names: &mut Names| {
            let name = names.like(id);
            if name != id {
                remarks.push(format!("{name}: {id}"));
            }
            name
        };
        let places: Vec<String> =
            net.places.iter().map(|place| named(&place.id, &mut names)).collect();
        let (mut classes, mut kinds) = (Vec::new(), Vec::new());
        for (class, blocks) in net.classes.iter().zip(&symmetry.classes) {
            let name = names.like(&class.name);
            let members = blocks.members();
            kinds.push(match blocks.group {
                Group::Rotations => Kind::Ring,
                Group::Full if members.iter().any(|one| one.len() > 1) => {
                    let block = |members: &Vec<u32>| match members[..] {
                        [one] => named(&class.colours[one as usize], &mut names),
                        _ => names.like(&format!("{name}_block")),
                    };
                    Kind::Blocks(members.iter().map(block).collect())
                }
                _ => Kind::Range,
            });
            classes.push(name);
        }
        // The names of variables differ from all others, which they would hide.
        let of = |transition: &Transition| {
            let mut inside = Names(names.0.clone());
            transition.variables.iter().map(|one| inside.like(&one.name)).collect::<Vec<_>>()
        };
        let variables: Vec<Vec<String>> = net.transitions.iter().map(of).collect();
        let all = variables.iter().flatten().map(|name| name.to_ascii_lowercase());
        let mut outside = Names(names.0.iter().cloned().chain(all).collect());
        let most = net.places.iter().map(|place| place.sort.len()).max().unwrap_or(0);
        let cells = (0..most).map(|_| outside.like("c")).collect();
        Printer { net, symmetry, kinds, classes, places, variables, cells, remarks }
    }

    fn print(mut self, initial: &[Sums], properties: &[Property]) -> Printed {
        let mut text = String::new();
        let _ = writeln!(text, "const TOKENS: {};", self.most_tokens());
        for class in 0..self.net.classes.len() {
            self.class(class, &mut text);
        }
        for (place, name) in self.net.places.iter().zip(&self.places) {
            let arrays = place.sort.iter();
            let arrays = arrays.map(|&class| format!("array [{}] of ", self.classes[class]));
            let arrays = arrays.collect::<Vec<_>>().concat();
            let _ = writeln!(text, "var {name}: {arrays}0..TOKENS;");
        }
        text.push_str("startstate \"initial marking\"\n");
        for (place, sums) in initial.iter().enumerate() {
            let value = self.sum_at_cell(place, sums, &[]);
            let _ = writeln!(text, "{}", self.each_cell(place, &format!(":= {value}")));
        }
        text.push_str("end;\nprocess net do\n");
        for (number, transition) in self.net.transitions.iter().enumerate() {
            self.transition(number, transition, &mut text);
        }
        text.push_str("end;\n");
        self.properties(properties, &mut text);
        Printed { remarks: self.remarks, text }
    }

    /// Room for the tokens of one colour. If no transition puts more tokens than it takes, the initial
    /// ones suffice.
    fn most_tokens(&self) -> u64 {
        let weight = |arcs: &[Arc]| -> i128 {
            let tuples = |arc: &Arc, parts: &[Part]| -> i128 {
                let sort = &self.net.places[arc.place].sort;
                let all = parts.iter().zip(sort).filter(|(part, _)| **part == Part::All);
                all.map(|(_, &class)| i128::from(self.net.size(class))).product()
            };
            let terms = arcs.iter().flat_map(|arc| arc.sum.iter().map(move |term| (arc, term)));
            terms.map(|(arc, (number, parts))| i128::from(*number) * tuples(arc, parts)).sum()
        };
        let initial = self.net.places.iter().flat_map(|place| place.initial.values());
        let total: u64 = initial.sum();
        if self.net.places.iter().all(|place| place.safe.is_some()) {
            return 1;
        }
        let is_growing = |one: &Transition| weight(&one.outputs) > weight(&one.inputs);
        if self.net.transitions.iter().any(is_growing) { total.max(255) } else { total.max(1) }
    }

    fn class(&self, class: usize, text: &mut String) {
        let (name, size) = (&self.classes[class], self.net.size(class));
        let members = self.symmetry.classes[class].members();
        let _ = match &self.kinds[class] {
            Kind::Range => writeln!(text, "type {name}: 0..{};", size - 1),
            Kind::Ring => writeln!(text, "type {name}: ring({size});"),
            Kind::Blocks(_) if members.len() == 1 => {
                writeln!(text, "type {name}: scalarset({size});")
            }
            Kind::Blocks(names) => {
                let (mut types, mut single) = (Vec::new(), Vec::new());
                for (members, block) in members.iter().zip(names) {
                    if members.len() > 1 {
                        let _ = writeln!(text, "type {block}: scalarset({});", members.len());
                        types.push(block.clone());
                    } else {
                        single.push(block.as_str());
                    }
                }
                if !single.is_empty() {
                    types.push(format!("enum {{ {} }}", single.join(", ")));
                }
                writeln!(text, "type {name}: union {{ {} }};", types.join(", "))
            }
        };
    }

    fn transition(&self, number: usize, of: &Transition, text: &mut String) {
        let names = &self.variables[number];
        let mut conditions = vec![self.guard(number, &of.guard)];
        let mut body = Vec::new();
        let mut places: BTreeMap<usize, [Option<Sums>; 2]> = BTreeMap::new();
        for (side, arcs) in [&of.inputs, &of.outputs].into_iter().enumerate() {
            for arc in arcs {
                let sort = &self.net.places[arc.place].sort;
                let sums = self.joined(sort, arc.sum.clone());
                let sums = sums.expect("the classes are divided by what arcs say");
                if side == 0 {
                    conditions.push(self.has(arc.place, &sums, names));
                }
                if sums.iter().any(|(count, _)| *count < 0) {
                    let least = self.for_all_cells(
                        arc.place,
                        &format!("{} >= 0", self.sum_at_cell(arc.place, &sums, names)),
                    );
                    body.push(format!("assert \"no negative tokens\" {least};"));
                }
                places.entry(arc.place).or_default()[side] = Some(sums);
            }
        }
        for (&place, sides) in &places {
            let is_cellwise = |sums: &Sums| {
                sums.iter().any(|(count, tuple)| {
                    *count < 0 || tuple.iter().any(|one| !matches!(one, Component::One(_)))
                })
            };
            let both = sides.iter().flatten();
            if both.clone().any(is_cellwise) {
                let mut change = String::new();
                for (sums, sign) in sides.iter().zip(["-", "+"]) {
                    if let Some(sums) = sums {
                        let _ =
                            write!(change, " {sign} ({})", self.sum_at_cell(place, sums, names));
                    }
                }
                let cell = self.cell(place);
                body.push(self.each_cell(place, &format!(":= {cell}{change}")));
                continue;
            }
            for (sums, sign) in sides.iter().zip(["-", "+"]) {
                for (count, tuple) in sums.iter().flatten() {
                    let cell = self.at(place, tuple, names);
                    body.push(format!("{cell} := {cell} {sign} {count};"));
                }
            }
        }
        conditions.retain(|one| one != "true");
        if conditions.is_empty() {
            conditions.push("true".to_owned());
        }
        let (open, close) = self.ruleset(number);
        let (id, guard, body) = (string(&of.id), conditions.join(" & "), body.join("\n"));
        let _ = writeln!(text, "{open}rule {id} {guard} ==>\n{body}\nend;{close}");
    }

    fn ruleset(&self, transition: usize) -> (String, &'static str) {
        let parameters = self.parameters(transition);
        if parameters.is_empty() {
            (String::new(), "")
        } else {
            (format!("ruleset {parameters} do\n"), "\nend;")
        }
    }

    fn parameters(&self, transition: usize) -> String {
        let variables = &self.net.transitions[transition].variables;
        let names = self.variables[transition].iter().zip(variables);
        let parameters = names.map(|(name, one)| format!("{name}: {}", self.classes[one.class]));
        parameters.collect::<Vec<_>>().join("; ")
    }

    /// A sum in which constants that stand for a block are replaced by the block; none if constants of
    /// some block are left.
    fn joined(&self, sort: &[usize], sum: Vec<(i64, Vec<Part>)>) -> Option<Sums> {
        let component = |part: Part| match part {
            Part::All => Component::All,
            Part::One(term) => Component::One(term),
        };
        let convert = |(count, parts): (i64, Vec<Part>)| {
            (count, parts.into_iter().map(component).collect::<Vec<_>>())
        };
        let mut sums: Sums = sum.into_iter().map(convert).collect();
        for (position, &class) in sort.iter().enumerate() {
            if !matches!(self.kinds[class], Kind::Blocks(_) | Kind::Ring) {
                continue;
            }
            // By everything else of a term: the constants at this position.
            let mut constants: BTreeMap<(i64, Vec<Component>), BTreeSet<u32>> = BTreeMap::new();
            let mut others = Vec::new();
            for (count, mut tuple) in sums {
                match tuple[position] {
                    Component::One(Term { base: Base::Colour(at), .. }) => {
                        tuple[position] = Component::All;
                        constants.entry((count, tuple)).or_default().insert(at);
                    }
                    _ => others.push((count, tuple)),
                }
            }
            for ((count, tuple), mut colours) in constants {
                for (block, members) in self.symmetry.classes[class].members().iter().enumerate() {
                    if members.iter().all(|one| colours.contains(one)) {
                        colours.retain(|one| !members.contains(one));
                        let mut tuple = tuple.clone();
                        let size = self.net.size(class);
                        tuple[position] = match members[..] {
                            _ if members.len() == size as usize => Component::All,
                            [one] => {
                                Component::One(Term { base: Base::Colour(one), shift: 0, size })
                            }
                            _ => Component::Block(block as u32),
                        };
                        others.push((count, tuple));
                    }
                }
                if !colours.is_empty() {
                    return None;
                }
            }
            sums = others;
        }
        Some(sums)
    }

    /// Whether a place has the tokens of a sum.
    fn has(&self, place: usize, sums: &Sums, names: &[String]) -> String {
        if let [(count, tuple)] = &sums[..]
            && *count > 0
            && tuple.iter().all(|one| matches!(one, Component::One(_)))
        {
            return format!("{} >= {count}", self.at(place, tuple, names));
        }
        let needed = self.sum_at_cell(place, sums, names);
        self.for_all_cells(place, &format!("{} >= {needed}", self.cell(place)))
    }

    /// The cell of a tuple.
    fn at(&self, place: usize, tuple: &[Component], names: &[String]) -> String {
        let sort = &self.net.places[place].sort;
        let subscripts = tuple.iter().zip(sort).map(|(one, &class)| match one {
            Component::One(term) => format!("[{}]", self.term(class, *term, names)),
            Component::All | Component::Block(_) => unreachable!("the caller has looked"),
        });
        format!("{}{}", self.places[place], subscripts.collect::<Vec<_>>().concat())
    }

    /// The cell of a loop over all cells of a place.
    fn cell(&self, place: usize) -> String {
        let cells = self.net.places[place].sort.iter().zip(&self.cells);
        let subscripts: Vec<String> = cells.map(|(_, name)| format!("[{name}]")).collect();
        format!("{}{}", self.places[place], subscripts.concat())
    }

    fn cell_parameters(&self, sort: &[usize]) -> String {
        let cells = sort.iter().zip(&self.cells);
        let cells = cells.map(|(&class, name)| format!("{name}: {}", self.classes[class]));
        cells.collect::<Vec<_>>().join("; ")
    }

    /// A statement for each cell of a place: the rest of an assignment.
    fn each_cell(&self, place: usize, assigned: &str) -> String {
        let parameters = self.cell_parameters(&self.net.places[place].sort);
        let cell = self.cell(place);
        if parameters.is_empty() {
            format!("{cell} {assigned};")
        } else {
            format!("for {parameters} do {cell} {assigned}; end;")
        }
    }

    fn for_all_cells(&self, place: usize, condition: &str) -> String {
        let parameters = self.cell_parameters(&self.net.places[place].sort);
        if parameters.is_empty() {
            condition.to_owned()
        } else {
            format!("(forall {parameters} do {condition} end)")
        }
    }

    /// The number of tokens that a sum has in the cell of a loop over all cells of a place.
    fn sum_at_cell(&self, place: usize, sums: &Sums, names: &[String]) -> String {
        let sort = &self.net.places[place].sort;
        let term = |(count, tuple): &(i64, Vec<Component>)| {
            let components = tuple.iter().zip(&self.cells).zip(sort);
            let conditions = components.filter_map(|((one, cell), &class)| match one {
                Component::All => None,
                Component::Block(block) => Some(self.is_in_block(cell, class, *block)),
                Component::One(term) => {
                    Some(format!("{cell} = {}", self.term(class, *term, names)))
                }
            });
            let conditions: Vec<String> = conditions.collect();
            if conditions.is_empty() {
                count.to_string()
            } else {
                format!("({} ? {count} : 0)", conditions.join(" & "))
            }
        };
        let terms: Vec<String> = sums.iter().map(term).collect();
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    }

    fn is_in_block(&self, value: &str, class: usize, block: u32) -> String {
        let Kind::Blocks(names) = &self.kinds[class] else {
            unreachable!("other classes have one block")
        };
        let name = &names[block as usize];
        let members = self.symmetry.classes[class].members();
        if members[block as usize].len() == 1 {
            format!("{value} = {name}")
        } else {
            format!("ismember({value}, {name})")
        }
    }

    /// A term whose variables have these names.
    fn term(&self, class: usize, term: Term, names: &[String]) -> String {
        let Term { base, shift, size } = term;
        match (&self.kinds[class], base) {
            (Kind::Range, Base::Colour(at)) => ((at + shift) % size).to_string(),
            (Kind::Range, Base::Variable(at)) if shift == 0 => names[at].clone(),
            (Kind::Range, Base::Variable(at)) => format!("(({} + {shift}) % {size})", names[at]),
            (Kind::Ring, Base::Variable(at)) => {
                let (step, times) =
                    if shift <= size / 2 { ("next(", shift) } else { ("prev(", size - shift) };
                let times = times as usize;
                format!("{}{}{}", step.repeat(times), names[at], ")".repeat(times))
            }
            (Kind::Blocks(_), Base::Variable(at)) => names[at].clone(),
            (Kind::Blocks(blocks), Base::Colour(at)) => {
                blocks[self.symmetry.classes[class].block_of[at as usize] as usize].clone()
            }
            (Kind::Ring, Base::Colour(_)) => unreachable!("a ring has no constants"),
        }
    }

    fn guard(&self, transition: usize, guard: &Guard) -> String {
        let joined = |parts: &[Guard], sign: &str, none: &str| {
            let parts: Vec<String> =
                parts.iter().map(|part| self.guard(transition, part)).collect();
            if parts.is_empty() { none.to_owned() } else { format!("({})", parts.join(sign)) }
        };
        match guard {
            Guard::Constant(value) => value.to_string(),
            Guard::And(parts) => joined(parts, " & ", "true"),
            Guard::Or(parts) => joined(parts, " | ", "false"),
            Guard::Not(part) => format!("!({})", self.guard(transition, part)),
            Guard::Compare(comparison, left, right) => {
                self.comparison(transition, *comparison, *left, *right)
            }
        }
    }

    fn comparison(&self, of: usize, comparison: Comparison, left: Side, right: Side) -> String {
        let variables = &self.net.transitions[of].variables;
        let class_of = |side: Side| match side.term.base {
            Base::Variable(at) => Some(variables[at].class),
            Base::Colour(_) => None,
        };
        // By colour of the variable: the colour or element that is compared.
        let values = |side: Side| (0..side.term.size).map(move |at| self.value(side, at));
        // The variable is one of those colours with which the side has a value that fits.
        let is_one = |side: Side, class: usize, fits: &dyn Fn(u32) -> bool| {
            let Base::Variable(at) = side.term.base else { unreachable!("it has a class") };
            let fitting: Vec<bool> = values(side).map(fits).collect();
            self.is_among(&self.variables[of][at], class, &fitting)
        };
        match (class_of(left), class_of(right)) {
            (None, None) => comparison.holds(self.value(left, 0), self.value(right, 0)).to_string(),
            (Some(class), None) => {
                let right = self.value(right, 0);
                is_one(left, class, &|left| comparison.holds(left, right))
            }
            (None, Some(class)) => {
                let left = self.value(left, 0);
                is_one(right, class, &|right| comparison.holds(left, right))
            }
            (Some(one), Some(other)) if left.partition.is_none() && right.partition.is_none() => {
                let (names, sign) = (&self.variables[of], sign(comparison));
                let (left, right) =
                    (self.term(one, left.term, names), self.term(other, right.term, names));
                format!("{left} {sign} {right}")
            }
            (Some(one), Some(other)) => {
                let elements: BTreeSet<u32> = values(left).collect();
                let each = elements.into_iter().map(|element| {
                    let left = is_one(left, one, &|left| left == element);
                    let right = is_one(right, other, &|right| comparison.holds(element, right));
                    format!("{left} & {right}")
                });
                format!("({})", each.collect::<Vec<_>>().join(" | "))
            }
        }
    }

    /// The colour or element of a side if its variable has this colour.
    fn value(&self, side: Side, variable: u32) -> u32 {
        let Term { base, shift, size } = side.term;
        let at = match base {
            Base::Variable(_) => variable,
            Base::Colour(at) => at,
        };
        let at = (at + shift) % size;
        side.partition.map_or(at, |of| self.net.partitions[of].element_of[at as usize])
    }

    /// Whether a variable has one of these colours, which are whole blocks.
    fn is_among(&self, variable: &str, class: usize, colours: &[bool]) -> String {
        if colours.iter().all(|one| *one) {
            return "true".to_owned();
        }
        if let Kind::Blocks(_) = self.kinds[class] {
            let members = self.symmetry.classes[class].members();
            let blocks = members.iter().enumerate().filter(|(_, of)| colours[of[0] as usize]);
            return any(blocks.map(|(block, _)| self.is_in_block(variable, class, block as u32)));
        }
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (at, _) in colours.iter().enumerate().filter(|(_, is_in)| **is_in) {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == at => *last = at,
                _ => runs.push((at, at)),
            }
        }
        any(runs.into_iter().map(|(first, last)| {
            if first == last {
                format!("{variable} = {first}")
            } else {
                format!("({first} <= {variable} & {variable} <= {last})")
            }
        }))
    }

    /// Formulas, and the functions that they call.
    fn properties(&mut self, properties: &[Property], text: &mut String) {
        let (mut places, mut transitions) = (BTreeSet::new(), BTreeSet::new());
        let mut formulas = Vec::new();
        for property in properties {
            let formula = match &property.question {
                Question::All(formula) => formula,
                Question::Some(formula) => {
                    let id = &property.id;
                    self.remarks.push(format!("`{id}` asks whether its formula is violated"));
                    formula
                }
                Question::Bound(_) => {
                    self.remarks.push(format!("`{}` asks for a number", property.id));
                    continue;
                }
            };
            for atom in &formula.atoms {
                if let Atom::Marking(condition) = atom {
                    asked(condition, &mut places, &mut transitions);
                }
            }
            formulas.push((&property.id, formula));
        }
        for place in places {
            self.tokens_function(place, text);
        }
        for transition in transitions {
            self.fireable_function(transition, text);
        }
        for (id, formula) in formulas {
            match self.formula(formula) {
                Some(formula) => {
                    let _ = writeln!(text, "ltl {}: {formula};", string(id));
                }
                None => self.remarks.push(format!("`{id}` is too long")),
            }
        }
    }

    fn tokens_function(&self, place: usize, text: &mut String) {
        let name = &self.places[place];
        let parameters = self.cell_parameters(&self.net.places[place].sort);
        let cell = self.cell(place);
        let _ = if parameters.is_empty() {
            writeln!(text, "function tokens_{name}(): 0..TOKENS; begin return {cell}; end;")
        } else {
            writeln!(
                text,
                "function tokens_{name}(): 0..{MOST_TOKENS};\nvar tokens: 0..{MOST_TOKENS};\nbegin\n\
                 tokens := 0;\nfor {parameters} do tokens := tokens + {cell}; end;\n\
                 return tokens;\nend;"
            )
        };
    }

    fn fireable_function(&self, transition: usize, text: &mut String) {
        let of = &self.net.transitions[transition];
        let mut conditions = vec![self.guard(transition, &of.guard)];
        for arc in &of.inputs {
            let sort = &self.net.places[arc.place].sort;
            let sums = self.joined(sort, arc.sum.clone()).expect("as for the rule");
            conditions.push(self.has(arc.place, &sums, &self.variables[transition]));
        }
        let (guard, parameters) = (conditions.join(" & "), self.parameters(transition));
        let guard = if parameters.is_empty() {
            guard
        } else {
            format!("exists {parameters} do {guard} end")
        };
        let name = function_of(transition);
        let _ = writeln!(text, "function {name}(): boolean; begin return {guard}; end;");
    }

    fn formula(&self, formula: &Formula) -> Option<String> {
        let names = formula.atoms.iter().enumerate().map(|(number, atom)| {
            let text = match atom {
                Atom::Marking(condition) => self.condition(condition),
                Atom::Event(_) => unreachable!("property files name no events"),
            };
            (ltl::Atom(number as u32), format!("({text})"))
        });
        let (all, root) = (&formula.formulas, formula.root);
        print_named(LENGTH_LIMIT, all, names.collect(), root, Syntax::Isonomy).ok()
    }

    fn condition(&self, condition: &Condition) -> String {
        let joined = |parts: &[Condition], sign: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.condition(part)).collect();
            format!("({})", parts.join(sign))
        };
        match condition {
            Condition::Constant(value) => value.to_string(),
            Condition::Not(inner) => format!("!({})", self.condition(inner)),
            Condition::And(parts) => joined(parts, " & "),
            Condition::Or(parts) => joined(parts, " | "),
            Condition::AtMostZero(sum) => self.at_most_zero(sum),
            Condition::Fireable(of) => any(of.iter().map(|&at| format!("{}()", function_of(at)))),
        }
    }

    fn at_most_zero(&self, sum: &Sum) -> String {
        let terms = sum.places.iter().map(|&(factor, place)| {
            let tokens = format!("tokens_{}()", self.places[place]);
            if factor == 1 { tokens } else { format!("{factor} * {tokens}") }
        });
        format!("{} <= {}", terms.collect::<Vec<_>>().join(" + "), -sum.constant)
    }
}

/// A string of the model language.
fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The name of the function that says whether a transition can fire.
fn function_of(transition: usize) -> String {
    format!("fireable_{transition}")
}

fn any(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    match &parts[..] {
        [] => "false".to_owned(),
        [one] => one.clone(),
        _ => format!("({})", parts.join(" | ")),
    }
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::Unequal => "!=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::More => ">",
        Comparison::AtLeast => ">=",
    }
}

/// The places and transitions that a condition asks about.
fn asked(of: &Condition, places: &mut BTreeSet<usize>, transitions: &mut BTreeSet<usize>) {
    match of {
        Condition::Constant(_) => {}
        Condition::Not(inner) => asked(inner, places, transitions),
        Condition::And(parts) | Condition::Or(parts) => {
            for part in parts {
                asked(part, places, transitions);
            }
        }
        Condition::AtMostZero(sum) => places.extend(sum.places.iter().map(|&(_, place)| place)),
        Condition::Fireable(of) => transitions.extend(of),
    }
}
