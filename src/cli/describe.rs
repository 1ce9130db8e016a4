//! `isonomy describe`: what a person needs to know of a model before writing a formula about it.
//!
//! One [`Description`], two ways to print it: as JSON, of which its types are the schema
//! (`fixtures/schema/describe.schema.json` says the same for other programs), and as [`text`].

mod local;
mod text;

use super::budget::Budget;
use super::choices::Format;
use super::console::Console;
use super::error::Error;
use super::exit::Exit;
use super::json::{Count, Simple};
use super::loading::{self, Loaded, Location, ModelOptions};
use super::results;
use super::view::LoadedSystem as _;
use super::writing::{Sheet, Writing};
use ltl::Span;
use model::checked::{
    FamilyId, Formula, Group, Local, Model, ParameterDomain, ProcessFamily, Property, Requirement,
    Scope, Start, Symmetry, TrackedGroup,
};
use model::interpret::Process;
use model::syntax::{Fairness, IndexKind, Over, PropertyKind, RuleFairness};
use model::types::{Type, TypeId, Types};
use model::value::Scalar;
use serde::{Serialize, Serializer};

/// `isonomy describe`
#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    model: ModelOptions,
    /// What to print
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print which rules are local to their process, for `isonomy check --por auto`, and why others are not
    #[arg(long, conflicts_with = "format")]
    por: bool,
}

const EXAMPLES: &str = "\
Examples:
  isonomy describe model.m
  isonomy describe model.m -D N=5 --format json
  isonomy describe model.m --por";

/// Runs the command.
pub(crate) fn run(options: &Options, console: &mut Console) -> Result<Exit, Error> {
    let budget = Budget::unlimited();
    loading::with_large_stack(|| {
        if super::nets::is_net(options.model.path()) {
            if options.por {
                return Err(Error::usage(
                    "`--por` is not for Petri nets: their transitions have no processes",
                ));
            }
            if options.format != Format::Text {
                return Err(Error::usage("`--format` is not for descriptions of Petri nets"));
            }
            return super::nets::describe::run(options.model.path(), &budget, console);
        }
        let loaded = options.model.load(&budget, console)?;
        if options.por {
            let told = loaded.watch.over(|| local::layout(&loaded))?;
            let writing = Writing::results(&budget);
            let text = |sheet: &mut Sheet<'_>| sheet.push(&told);
            results::print(console, &writing, Format::Text, text, |_| ())?;
            return Ok(Exit::Done);
        }
        let description = loaded.watch.over(|| Description::of(&loaded))?;
        let writing = Writing::results(&budget);
        let text = |sheet: &mut Sheet<'_>| sheet.push(&text::layout(&description));
        results::print(console, &writing, options.format, text, |_| &description)?;
        Ok(Exit::Done)
    })
}

/// All that is said of a model.
#[derive(Serialize)]
struct Description<'a> {
    schema: u32,
    model: &'a str,
    #[serde(serialize_with = "as_map")]
    constants: Vec<(&'a str, Simple<'a>)>,
    index_types: Vec<IndexEntry<'a>>,
    /// The other types that have a name and are met in variables and parameters.
    types: Vec<TypeEntry>,
    variables: Vec<VariableEntry<'a>>,
    /// See [`packed_bits`].
    bits_per_state: Count,
    processes: Vec<ProcessEntry<'a>>,
    events: Vec<EventEntry<'a>>,
    start_states: Vec<StartEntry<'a>>,
    properties: Vec<PropertyEntry<'a>>,
    formulas: Vec<FormulaEntry<'a>>,
    requirements: Vec<RequirementEntry<'a>>,
    warnings: Vec<Remark<'a>>,
}

#[derive(Serialize)]
struct IndexEntry<'a> {
    name: &'a str,
    kind: &'static str,
    size: u32,
    group: &'static str,
    /// Why the group is trivial although more was declared.
    reasons: Vec<Remark<'a>>,
}

#[derive(Serialize)]
struct TypeEntry {
    name: String,
    structure: String,
}

#[derive(Serialize)]
struct VariableEntry<'a> {
    name: &'a str,
    r#type: String,
    bits: Count,
}

#[derive(Serialize)]
struct ProcessEntry<'a> {
    name: &'a str,
    /// Of the parameter; none for a single process.
    r#type: Option<String>,
    size: Count,
    /// The first and the last; text only.
    #[serde(skip)]
    ends: (String, String),
}

#[derive(Serialize)]
struct EventEntry<'a> {
    name: &'a str,
    parameters: Vec<ParameterEntry<'a>>,
    fairness: Option<&'static str>,
}

#[derive(Serialize)]
struct ParameterEntry<'a> {
    name: &'a str,
    r#type: String,
}

#[derive(Serialize)]
struct StartEntry<'a> {
    name: &'a str,
    parameters: Vec<ParameterEntry<'a>>,
    /// How many values the parameters have together; none if that is beyond 128 bits.
    instances: Option<Count>,
    #[serde(flatten)]
    position: Location<'a>,
}

#[derive(Serialize)]
struct PropertyEntry<'a> {
    name: Option<&'a str>,
    kind: &'static str,
    statement: bool,
    parameters: Vec<ParameterEntry<'a>>,
    #[serde(flatten)]
    position: Location<'a>,
}

#[derive(Serialize)]
struct FormulaEntry<'a> {
    name: Option<&'a str>,
    formula: &'a str,
    fairness: Option<&'static str>,
    over: Option<&'static str>,
    #[serde(flatten)]
    position: Location<'a>,
}

#[derive(Serialize)]
struct RequirementEntry<'a> {
    name: Option<&'a str>,
    kind: &'static str,
    parameters: Vec<ParameterEntry<'a>>,
    #[serde(flatten)]
    position: Location<'a>,
}

/// A message about a place.
#[derive(Serialize)]
struct Remark<'a> {
    message: &'a str,
    #[serde(flatten)]
    position: Location<'a>,
}

fn as_map<S: Serializer>(pairs: &[(&str, Simple<'_>)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

impl<'a> Description<'a> {
    fn of(loaded: &'a Loaded) -> Self {
        let Loaded { text, model, .. } = loaded;
        let reader = Reader { model, loaded };
        let types = &model.types;
        let variables = model.variables.iter().map(|variable| VariableEntry {
            name: &variable.name,
            r#type: types.show(variable.of),
            bits: Count(packed_bits(types, variable.of)),
        });
        let variables: Vec<_> = variables.collect();
        let events = model.events.iter().map(|event| EventEntry {
            name: &event.name,
            parameters: parameters(types, event.parameters.iter().map(|(name, of)| (name, *of))),
            fairness: event.fairness.map(|fairness| match fairness {
                RuleFairness::Weak => "weak",
                RuleFairness::Strong => "strong",
            }),
        });
        let constants = model.constants.iter().map(|c| (c.name.as_str(), Simple(types, c.value)));
        let warnings = model.warnings.iter();
        Description {
            schema: 1,
            model: &text.name,
            constants: constants.collect(),
            index_types: model.symmetries.iter().map(|symmetry| reader.index(symmetry)).collect(),
            types: reader.named_types(),
            bits_per_state: Count(variables.iter().map(|variable| variable.bits.0).sum()),
            variables,
            processes: reader.processes(),
            events: events.collect(),
            start_states: model.starts.iter().map(|start| reader.start(start)).collect(),
            properties: model.properties.iter().map(|property| reader.property(property)).collect(),
            formulas: model.formulas.iter().map(|formula| reader.formula(formula)).collect(),
            requirements: model.requirements.iter().map(|r| reader.requirement(r)).collect(),
            warnings: warnings.map(|w| reader.remark(w.span, &w.message)).collect(),
        }
    }
}

/// Reads the parts of a description off a model.
struct Reader<'a> {
    model: &'a Model,
    loaded: &'a Loaded,
}

impl<'a> Reader<'a> {
    fn index(&self, symmetry: &'a Symmetry) -> IndexEntry<'a> {
        let of = self.model.types.index_type(symmetry.of);
        IndexEntry {
            name: &of.name,
            kind: match of.kind {
                IndexKind::Scalarset => "scalarset",
                IndexKind::Ring => "ring",
                IndexKind::UndirectedRing => "undirected ring",
            },
            size: of.size,
            group: match symmetry.group {
                Group::Full => "full",
                Group::Rotations => "rotations",
                Group::Dihedral => "dihedral",
                Group::Trivial => "trivial",
            },
            reasons: symmetry.reasons.iter().map(|(span, why)| self.remark(*span, why)).collect(),
        }
    }

    /// In the order in which they are met.
    fn named_types(&self) -> Vec<TypeEntry> {
        let Model { types, variables, events, starts, .. } = self.model;
        let parameters = events.iter().flat_map(|event| &event.parameters).map(|(_, of)| *of);
        let starts = starts.iter().flat_map(|start| {
            scope_parameters(&start.scope, &start.locals).map(|(local, _)| local.of)
        });
        let mut seen = Vec::new();
        for of in variables.iter().map(|variable| variable.of).chain(parameters).chain(starts) {
            meet(types, of, &mut seen);
        }
        let named = seen.into_iter().filter(|&of| {
            of != Types::BOOLEAN && of != Types::INTEGER && !matches!(types.get(of), Type::Index(_))
        });
        let entry = |of| {
            let name = types.name(of)?.to_owned();
            Some(TypeEntry { name, structure: types.structure(of) })
        };
        named.filter_map(entry).collect()
    }

    fn processes(&self) -> Vec<ProcessEntry<'a>> {
        let model = self.model;
        let entry = |(family, entry): (_, &'a ProcessFamily)| {
            let size = entry.of.map_or(1, |of| model.types.size(of));
            let show = |k| {
                let member = entry.of.map(|of| Scalar::nth(&model.types, of, k));
                Process::new(model, family, member).show(model)
            };
            ProcessEntry {
                name: &entry.name,
                r#type: entry.of.map(|of| model.types.show(of)),
                size: Count(u128::from(size)),
                ends: (show(0), show(size.saturating_sub(1))),
            }
        };
        // The processes of a union are those of its members, which have families of their own.
        let is_union = |of| matches!(model.types.get(of), Type::Union(_));
        let families = (0..).map(FamilyId).zip(&model.processes);
        families.filter(|(_, family)| !family.of.is_some_and(is_union)).map(entry).collect()
    }

    fn start(&self, start: &'a Start) -> StartEntry<'a> {
        let types = &self.model.types;
        let around = || scope_parameters(&start.scope, &start.locals);
        let instances = around().try_fold(1u128, |product, (_, domain)| {
            let values = match domain {
                ParameterDomain::Type(of) => defined_values(types, *of)?,
                ParameterDomain::Steps { from, to, by }
                    if (by > &0) == (from <= to) || from == to =>
                {
                    u128::from(from.abs_diff(*to) / by.unsigned_abs()) + 1
                }
                ParameterDomain::Steps { .. } => 0,
            };
            product.checked_mul(values)
        });
        StartEntry {
            name: &start.name,
            parameters: self.parameters_around(&start.scope, &start.locals),
            instances: instances.map(Count),
            position: self.position(start.span),
        }
    }

    fn property(&self, property: &'a Property) -> PropertyEntry<'a> {
        PropertyEntry {
            name: property.name.as_deref(),
            kind: property_kind(property.kind),
            statement: property.is_statement,
            parameters: self.parameters_around(&property.scope, &property.locals),
            position: self.position(property.span),
        }
    }

    fn formula(&self, formula: &'a Formula) -> FormulaEntry<'a> {
        let over = formula.under.and_then(|(_, over)| over);
        FormulaEntry {
            name: formula.name.as_deref(),
            formula: &formula.text,
            fairness: formula.under.map(|(fairness, _)| match fairness {
                Fairness::None => "none",
                Fairness::Weak => "weak",
                Fairness::Strong => "strong",
                Fairness::Global => "global",
            }),
            over: over.map(|over| match over {
                Over::Processes => "processes",
                Over::Events => "events",
            }),
            position: self.position(formula.span),
        }
    }

    fn requirement(&self, requirement: &'a Requirement) -> RequirementEntry<'a> {
        let Requirement { tracked, locals, .. } = requirement;
        let variables = |group: &'a TrackedGroup| group.locals.iter().map(|id| (id, group.of));
        let variables = tracked.iter().flat_map(variables);
        let named = variables.map(|(id, of)| (&locals[id.0 as usize].name, of));
        RequirementEntry {
            name: requirement.name.as_deref(),
            kind: if requirement.premise.is_some() { "compassion" } else { "justice" },
            parameters: parameters(&self.model.types, named),
            position: self.position(requirement.span),
        }
    }

    fn parameters_around(
        &self,
        scope: &'a [Scope],
        locals: &'a [Local],
    ) -> Vec<ParameterEntry<'a>> {
        let types = &self.model.types;
        let around = scope_parameters(scope, locals);
        let entry = |(local, domain): (&'a Local, &ParameterDomain)| ParameterEntry {
            name: &local.name,
            r#type: match domain {
                ParameterDomain::Type(of) => types.show(*of),
                ParameterDomain::Steps { from, to, by: 1 } => format!("{from} to {to}"),
                ParameterDomain::Steps { from, to, by } => format!("{from} to {to} by {by}"),
            },
        };
        around.map(entry).collect()
    }

    fn remark(&self, span: Span, message: &'a str) -> Remark<'a> {
        Remark { message, position: self.position(span) }
    }

    fn position(&self, span: Span) -> Location<'a> {
        self.loaded.place(span).location()
    }
}

/// The word of the language for a kind of property.
pub(super) fn property_kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant => "invariant",
        PropertyKind::Assert => "assert",
        PropertyKind::Assume => "assume",
        PropertyKind::Cover => "cover",
        PropertyKind::Liveness => "liveness",
    }
}

fn parameters<'a>(
    types: &Types,
    of: impl Iterator<Item = (&'a String, TypeId)>,
) -> Vec<ParameterEntry<'a>> {
    of.map(|(name, of)| ParameterEntry { name, r#type: types.show(of) }).collect()
}

/// The parameters among what stands around a rule, start state or property.
fn scope_parameters<'a>(
    scope: &'a [Scope],
    locals: &'a [Local],
) -> impl Iterator<Item = (&'a Local, &'a ParameterDomain)> {
    scope.iter().filter_map(|scope| match scope {
        Scope::Parameter { local, domain } => Some((&locals[local.0 as usize], domain)),
        Scope::Choose { .. } | Scope::Alias { .. } => None,
    })
}

/// Adds a type and its parts, outermost first, unless they are there.
fn meet(types: &Types, of: TypeId, seen: &mut Vec<TypeId>) {
    if seen.contains(&of) {
        return;
    }
    seen.push(of);
    match types.get(of) {
        Type::Range { .. } | Type::Enumeration(_) | Type::Index(_) => {}
        Type::Union(members) => members.iter().for_each(|&member| meet(types, member, seen)),
        Type::Array { index, element } => {
            meet(types, *index, seen);
            meet(types, *element, seen);
        }
        Type::Record(fields) => fields.iter().for_each(|&(_, of)| meet(types, of, seen)),
        Type::Queue { element, .. } | Type::Multiset { element, .. } | Type::Set(element) => {
            meet(types, *element, seen);
        }
    }
}

/// The bits of a value in a packed state: for a simple value enough to tell all values and
/// `undefined` apart, for a multiset a bit and an element for each place, for a queue its length and an
/// element for each place. Saturating, far enough
/// from the end that variables can be added up.
fn packed_bits(types: &Types, of: TypeId) -> u128 {
    /// As good as infinite.
    const MOST: u128 = 1 << 100;
    let bits = match types.get(of) {
        // ⌈log₂(size + 1)⌉ is the length of `size` in binary.
        Type::Range { .. } | Type::Enumeration(_) | Type::Index(_) | Type::Union(_) => {
            u128::from(u64::BITS - types.size(of).leading_zeros())
        }
        Type::Array { index, element } => {
            u128::from(types.size(*index)).saturating_mul(packed_bits(types, *element))
        }
        Type::Record(fields) => fields.iter().map(|&(_, of)| packed_bits(types, of)).sum(),
        Type::Set(element) => u128::from(types.size(*element)),
        Type::Queue { capacity, element } => {
            let elements = u128::from(*capacity).saturating_mul(packed_bits(types, *element));
            elements.saturating_add(u128::from(u32::BITS - capacity.leading_zeros()))
        }
        Type::Multiset { capacity, element } => {
            u128::from(*capacity).saturating_mul(packed_bits(types, *element) + 1)
        }
    };
    bits.min(MOST)
}

/// How many values without undefined parts a type has; none beyond 128 bits.
fn defined_values(types: &Types, of: TypeId) -> Option<u128> {
    match types.get(of) {
        Type::Range { .. } | Type::Enumeration(_) | Type::Index(_) | Type::Union(_) => {
            Some(u128::from(types.size(of)))
        }
        Type::Array { index, element } => {
            let element = defined_values(types, *element)?;
            match (element, u32::try_from(types.size(*index))) {
                (0 | 1, _) => Some(element),
                (_, Ok(length)) => element.checked_pow(length),
                (_, Err(_)) => None,
            }
        }
        Type::Record(fields) => fields
            .iter()
            .try_fold(1u128, |product, &(_, of)| product.checked_mul(defined_values(types, of)?)),
        Type::Set(element) => 1u128.checked_shl(u32::try_from(types.size(*element)).ok()?),
        Type::Queue { capacity, element } => {
            // 1 + n + n² + ..., up to the capacity.
            let element = defined_values(types, *element)?;
            match element {
                0 => Some(1),
                1 => Some(u128::from(*capacity) + 1),
                _ => (0..*capacity)
                    .try_fold(1u128, |sum, _| sum.checked_mul(element)?.checked_add(1)),
            }
        }
        Type::Multiset { capacity, element } => {
            // Those of at most c elements out of n are (n + 1)(n + 2)...(n + c) / c!; each division
            // comes out even.
            let element = defined_values(types, *element)?;
            (1..=u128::from(*capacity)).try_fold(1u128, |product, k| {
                Some(product.checked_mul(element.checked_add(k)?)? / k)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::types::IndexType;

    #[test]
    fn bits_and_numbers_of_values() {
        let mut types = Types::new();
        let span = Span::at(0);
        let mut index = |size| {
            let name = format!("t{size}");
            types.declare_index_type(IndexType { name, kind: IndexKind::Scalarset, size, span })
        };
        let (one, three, four, thousand) = (index(1), index(3), index(4), index(1000));
        let mut array = |index, element| types.intern(Type::Array { index, element });
        let matrix = array(three, four);
        let matrix = array(four, matrix);
        let flags = array(thousand, Types::BOOLEAN);
        let single = array(thousand, one);
        let record = types.intern(Type::Record(vec![("a".into(), three), ("b".into(), matrix)]));
        let nothing = types.intern(Type::Record(Vec::new()));
        let union = types.intern(Type::Union(vec![three, four, Types::BOOLEAN]));
        let bag = types.intern(Type::Multiset { capacity: 5, element: three });
        let line = types.intern(Type::Queue { capacity: 3, element: three });
        let units = types.intern(Type::Queue { capacity: 4, element: one });
        let some = types.intern(Type::Set(union));
        let huge = types.intern(Type::Array { index: Types::INTEGER, element: Types::INTEGER });
        for (of, bits, values) in [
            (one, 1, Some(1)),
            (three, 2, Some(3)),
            (four, 3, Some(4)),
            (Types::BOOLEAN, 2, Some(2)),
            (Types::INTEGER, 64, Some(u128::from(u64::MAX))),
            (matrix, 36, Some(1 << 24)),
            (flags, 2000, None),
            (single, 1000, Some(1)),
            (record, 38, Some(3 << 24)),
            (line, 2 + 3 * 2, Some(1 + 3 + 9 + 27)),
            (units, 3 + 4, Some(5)),
            (some, 9, Some(1 << 9)),
            (nothing, 0, Some(1)),
            (union, 4, Some(9)),
            (bag, 15, Some(56)),
            (huge, u128::from(u64::MAX) * 64, None),
        ] {
            assert_eq!((packed_bits(&types, of), defined_values(&types, of)), (bits, values));
        }
    }
}
