//! Which rules concern their own process only, and what rules see of other processes.
//!
//! Partial-order reduction follows the steps of one process alone where nothing else can interfere.
//! This module says for a model, once, everything about that which does not depend on a state:
//!
//! - which parts of the state belong to a process, its *own cells* ([`Owner`]);
//! - which rules read and write own cells of their process only ([`RuleLocality::shared`]);
//! - under which conditions on own cells a rule is *possible* ([`RuleLocality::tests`]): those conjuncts
//!   of its guard that read own cells only;
//! - what a rule, a formula or a declared requirement reads and writes of other processes: a list of
//!   [`Contact`]s. What it sees of a process are *views*, the maximal subexpressions that read cells of
//!   one process only. If all views have the same values before and after a step of that process, the
//!   step makes no difference to the rule.
//!
//! The unit of ownership is a *root*: a variable, or a field of a record variable, and within it, if it
//! is an array over a simple type, each element. A root that is written by the rules of one single
//! process belongs to that process. An array that rules access at the index of their own process
//! belongs, element by element, to the processes of these indices; rules of others may read and write
//! elements, at a parameter, a bound variable, `next` or `prev` of those, or a constant. A root that is
//! written in any other way has no owner.
//!
//! Everything that is not understood makes a rule shared, a view coarser, or a root ownerless: that costs
//! reduction, and is never wrong.

mod access;
mod rank;
#[cfg(test)]
mod tests;
mod views;

use crate::checked::{
    Atom, EventId, Expression, ExpressionKind, FamilyId, Formula, LocalId, Model, Requirement,
    Rule, Scope, VariableId,
};
use crate::types::{Type, TypeId};
use crate::value::Scalar;
use access::{Access, Frame, Reader, Term};
pub use rank::{RankLeaf, RankStep};
use run::Span;
use views::Views;

/// The static part of partial-order reduction, for all rules of a model.
#[derive(Debug)]
pub struct Locality<'m> {
    /// The model.
    pub model: &'m Model,
    /// The roots, in the order of the variables.
    pub roots: Vec<Root>,
    /// By rule.
    pub rules: Vec<RuleLocality<'m>>,
    /// What ranks are made of: parts of own cells, in the order in which they are compared.
    pub ranks: Vec<RankLeaf>,
    /// By event: whether only one process can execute an instance of it.
    pub private_events: Vec<bool>,
}

/// A variable, or a field of a record variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// The variable.
    pub variable: VariableId,
    /// The fields that lead to it.
    pub fields: Vec<u32>,
    /// If it is an array over a simple type: that type.
    pub index: Option<TypeId>,
    /// The type of an element if it is such an array, else of the whole.
    pub of: TypeId,
    /// Who owns it.
    pub owner: Owner,
    /// If elements belong to processes with numbers as indices: the family of these processes. (An index,
    /// or a member of an enumeration, is one process in all families.)
    pub family: Option<FamilyId>,
}

/// Who owns a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// No process.
    Nobody,
    /// The single process of a family owns all of it.
    Single(FamilyId),
    /// Each element belongs to the process that is its index.
    Member,
}

/// A process, or processes, as a rule or a formula names it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// The index in a bound variable, moved so many places around its ring.
    Bound {
        /// The slot of the variable.
        local: LocalId,
        /// How often `next` is applied, less how often `prev` is.
        shift: i32,
    },
    /// This index.
    Constant(Scalar),
    /// The single process of a family.
    Single(FamilyId),
    /// Any process: what is accessed is at an index that is not understood, or everywhere.
    Anyone,
}

/// What is read of a process.
#[derive(Clone, PartialEq, Debug)]
pub enum View<'m> {
    /// The value of an expression that reads cells of this process only.
    Value(&'m Expression),
    /// The cells of a root, or of its element that belongs to the process, below these fields.
    Cells {
        /// The position in [`Locality::roots`].
        root: usize,
        /// The fields that lead to what is read.
        fields: Vec<u32>,
    },
}

/// What a rule, a formula or a requirement has to do with another process.
#[derive(Clone, Debug)]
pub struct Contact<'m> {
    /// The process.
    pub subject: Subject,
    /// Whether some of its cells are written.
    pub writes: bool,
    /// What is read of it.
    pub views: Vec<View<'m>>,
    /// Conjuncts of the guard that read its cells only, beside parameters of the rule: an instance of which
    /// one is false is not enabled.
    pub tests: Vec<&'m Expression>,
}

/// What a rule has to do with its own process, and with others.
#[derive(Clone, Debug)]
pub struct RuleLocality<'m> {
    /// Why the rule is not local: the first place where it reads or writes something else than own
    /// cells of its process. None if the rule is local.
    pub shared: Option<Sharing>,
    /// Conjuncts of the guard that read own cells only, beside parameters of the rule.
    pub tests: Vec<&'m Expression>,
    /// Whether the body allows the rule to be local: then only what the guard reads forbids it.
    pub is_guarded_only: bool,
    /// What it has to do with other processes.
    pub contacts: Vec<Contact<'m>>,
}

/// Why a rule is not local.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sharing {
    /// Where.
    pub span: Span,
    /// What is done there.
    pub reason: String,
}

impl<'m> Locality<'m> {
    /// Analyses the rules of a model.
    pub fn new(model: &'m Model) -> Locality<'m> {
        let roots = roots(model);
        let reader = Reader { model, roots: &roots };
        let accesses: Vec<Vec<Access>> =
            model.rules.iter().map(|rule| reader.of_rule(rule)).collect();
        // A root that other processes write keeps its owner from moving alone wherever they may do so.
        // It may be better to give it no owner.
        let mut owned: Vec<bool> =
            (0..roots.len()).map(|root| !is_contested(model, &roots, &accesses, root)).collect();
        let mut best = Locality::owned(model, &roots, &accesses, &owned);
        let contested: Vec<usize> = (0..roots.len()).filter(|&root| !owned[root]).collect();
        for root in contested.into_iter().take(MOST_CONTESTED) {
            owned[root] = true;
            let other = Locality::owned(model, &roots, &accesses, &owned);
            if other.unhindered() > best.unhindered() {
                best = other;
            } else {
                owned[root] = false;
            }
        }
        best.ranks = rank::leaves(&best);
        best
    }

    /// What follows if these roots may have owners.
    fn owned(
        model: &'m Model,
        roots: &[Root],
        accesses: &[Vec<Access>],
        owned: &[bool],
    ) -> Locality<'m> {
        let mut roots = roots.to_vec();
        let owners: Vec<(Owner, Option<FamilyId>)> =
            (0..roots.len()).map(|root| owner(model, &roots, accesses, root)).collect();
        for ((root, owner), owned) in roots.iter_mut().zip(owners).zip(owned) {
            if *owned {
                (root.owner, root.family) = owner;
            }
        }
        let private_events = private_events(model);
        let (rules, ranks) = (Vec::new(), Vec::new());
        let mut locality = Locality { model, roots, rules, ranks, private_events };
        let rules = model.rules.iter().zip(accesses);
        locality.rules = rules.map(|(rule, accesses)| locality.rule(rule, accesses)).collect();
        locality
    }

    /// The number of local rules that can be enabled where no rule of another process that writes cells
    /// of theirs is possible, as far as comparisons with constants show it.
    fn unhindered(&self) -> usize {
        let model = self.model;
        let writers = || {
            let rules = model.rules.iter().zip(&self.rules);
            rules.flat_map(|(rule, one)| {
                let writing = one.contacts.iter().filter(|contact| contact.writes);
                writing.map(move |contact| (rule, contact))
            })
        };
        let all = model.rules.iter().zip(&self.rules);
        let is_unhindered = |(rule, one): &(&Rule, &RuleLocality<'_>)| {
            let own: Vec<_> =
                one.tests.iter().filter_map(|test| self.comparison(test, rule)).collect();
            let hinders = |(writer, contact): (&Rule, &Contact<'_>)| {
                let is_of_family = match contact.subject {
                    Subject::Single(family) => family == rule.owner.family,
                    _ => rule.owner.parameter.is_some(),
                };
                let tests = contact.tests.iter();
                let mut others = tests.filter_map(|test| self.comparison(test, writer));
                is_of_family && !others.any(|other| own.iter().any(|one| one.excludes(&other)))
            };
            one.shared.is_none() && !writers().any(hinders)
        };
        all.filter(is_unhindered).count()
    }

    /// What a test says of the value in a place, if it compares it with constants.
    fn comparison(&self, test: &Expression, rule: &Rule) -> Option<Comparison> {
        let frame = Frame::new(&rule.locals);
        let reader = Reader { model: self.model, roots: &self.roots };
        let place = |one: &Expression| match &one.kind {
            ExpressionKind::Read(place) => match &reader.of_place(place, &frame)[..] {
                [access] => Some((access.root, access.fields.clone())),
                _ => None,
            },
            _ => None,
        };
        match &test.kind {
            ExpressionKind::Equal(left, right) | ExpressionKind::NotEqual(left, right) => {
                let ExpressionKind::Constant(scalar) = right.kind else { return None };
                let is_one_of = matches!(test.kind, ExpressionKind::Equal(..));
                Some(Comparison { place: place(left)?, values: vec![scalar], is_one_of })
            }
            ExpressionKind::Or(left, right) => {
                let (mut one, other) =
                    (self.comparison(left, rule)?, self.comparison(right, rule)?);
                if one.place != other.place || !one.is_one_of || !other.is_one_of {
                    return None;
                }
                one.values.extend(other.values);
                Some(one)
            }
            // A truth value by itself.
            ExpressionKind::Read(_) => {
                let values = vec![Scalar::boolean(true)];
                Some(Comparison { place: place(test)?, values, is_one_of: true })
            }
            ExpressionKind::Not(inner) => {
                let mut inner = self.comparison(inner, rule)?;
                inner.is_one_of = !inner.is_one_of;
                Some(inner)
            }
            _ => None,
        }
    }

    /// The rules that are local, among those of a family of processes.
    pub fn local_rules(&self, family: FamilyId) -> impl Iterator<Item = usize> + '_ {
        let rules = self.model.rules.iter().zip(&self.rules).enumerate();
        let local = rules.filter(move |(_, (rule, locality))| {
            rule.owner.family == family && locality.shared.is_none()
        });
        local.map(|(k, _)| k)
    }

    /// What a formula reads of processes. The views are in the frame of the formula.
    pub fn of_formula<'f>(&self, formula: &'f Formula) -> Vec<Contact<'f>> {
        let tracked: Vec<LocalId> =
            formula.tracked.iter().flat_map(|group| group.locals.iter().copied()).collect();
        let locals = &formula.locals;
        let mut views = Views::new(self, None, locals, &tracked);
        for atom in &formula.atoms {
            if let Atom::State { condition, .. } = atom {
                views.read(condition, &Frame::new(locals));
            }
        }
        views.contacts
    }

    /// What the conditions of a declared requirement read of processes.
    pub fn of_requirement<'r>(&self, requirement: &'r Requirement) -> Vec<Contact<'r>> {
        let locals = &requirement.locals;
        let mut views = Views::new(self, None, locals, &[]);
        for condition in requirement.premise.iter().chain([&requirement.conclusion]) {
            views.read(condition, &Frame::new(locals));
        }
        views.contacts
    }

    fn rule(&self, rule: &'m Rule, accesses: &[Access]) -> RuleLocality<'m> {
        let own = own_subject(rule);
        let mut shared = None;
        for access in accesses {
            if self.subject(access) != Some(own) {
                let reason = self.sharing(rule, access);
                shared.get_or_insert(Sharing { span: access.span, reason });
            }
        }
        let chooses = rule.scope.iter().any(|one| matches!(one, Scope::Choose { .. }));
        if chooses && shared.is_none() {
            let reason = "it chooses an element of a multiset".to_owned();
            shared = Some(Sharing { span: rule.span, reason });
        }
        let is_own_but_for_guard =
            |access: &Access| self.subject(access) == Some(own) || access.in_guard;
        let is_guarded_only = !chooses && accesses.iter().all(is_own_but_for_guard);
        // A body that writes cells of another process sees what it has written there: what it reads
        // then are no functions of the cells before the step.
        let writes_others = accesses.iter().any(|access| {
            access.writes
                && self.subject(access) != Some(own)
                && self.roots[access.root].owner != Owner::Nobody
        });
        let mut views = Views::new(self, Some(own), &rule.locals, &[]);
        views.rule(rule, writes_others);
        for access in accesses.iter().filter(|access| access.writes) {
            if let Some(subject) = self.subject(access).filter(|subject| *subject != own) {
                views.contact(subject).writes = true;
            }
        }
        let mut contacts = views.contacts;
        for contact in &mut contacts {
            contact.tests = self.tests(rule, contact.subject);
        }
        RuleLocality { shared, tests: self.tests(rule, own), is_guarded_only, contacts }
    }

    /// The process whose cells are accessed; none if they are nobody's.
    fn subject(&self, access: &Access) -> Option<Subject> {
        match (self.roots[access.root].owner, access.term) {
            (Owner::Nobody, _) => None,
            (Owner::Single(family), _) => Some(Subject::Single(family)),
            (Owner::Member, Term::Bound { local, shift }) => Some(Subject::Bound { local, shift }),
            (Owner::Member, Term::Constant(scalar)) => Some(Subject::Constant(scalar)),
            (Owner::Member, Term::Other) => Some(Subject::Anyone),
        }
    }

    /// The conjuncts of a rule's guard that read cells of a process only, up to the first that reads
    /// others beside. (What reads nothing of the process fails, if it does, whatever the process does.)
    fn tests(&self, rule: &'m Rule, subject: Subject) -> Vec<&'m Expression> {
        let mut found = Vec::new();
        let is_parameter = |one: &Scope| matches!(one, Scope::Parameter { .. });
        if subject == Subject::Anyone || !rule.scope.iter().all(is_parameter) {
            return found;
        }
        // Other parameters of the rule have any values that satisfy all tests.
        let parameters = rule.scope.iter().filter_map(|one| match one {
            Scope::Parameter { local, .. } => Some(*local),
            _ => None,
        });
        let parameters: Vec<LocalId> = parameters.collect();
        let views = Views::new(self, None, &rule.locals, &parameters);
        for conjunct in rule.guard.iter().flat_map(conjuncts) {
            let accesses = views.reader.of_expression(conjunct, &Frame::new(&rule.locals));
            let subjects: Vec<_> = accesses.iter().map(|access| self.subject(access)).collect();
            let is_concerned = |one: &Option<Subject>| matches!(one, Some(other) if *other == subject || may_be_same(*other, subject));
            if !subjects.iter().any(is_concerned) {
                continue;
            }
            if subjects.iter().any(|one| *one != Some(subject)) {
                break;
            }
            if views.is_evaluable(conjunct, subject) {
                found.push(conjunct);
            }
        }
        found
    }

    fn sharing(&self, rule: &Rule, access: &Access) -> String {
        let root = &self.roots[access.root];
        let name = &self.model.variables[root.variable.0 as usize].name;
        let verb = if access.writes { "writes" } else { "reads" };
        match (root.owner, self.subject(access)) {
            (Owner::Nobody, _) => format!("it {verb} `{name}`, which belongs to no process"),
            (Owner::Single(family), _) => {
                let process = &self.model.processes[family.0 as usize].name;
                format!("it {verb} `{name}`, which belongs to the process {process}")
            }
            (Owner::Member, Some(Subject::Bound { .. } | Subject::Constant(_)))
                if rule.owner.parameter.is_some() =>
            {
                format!("it {verb} `{name}` of another process")
            }
            (Owner::Member, _) => format!("it {verb} `{name}` of any process"),
        }
    }
}

/// Roots beyond this number that other processes write are nobody's.
const MOST_CONTESTED: usize = 24;

/// That the value in a place is one of some constants, or none of them.
struct Comparison {
    place: (usize, Vec<u32>),
    values: Vec<Scalar>,
    is_one_of: bool,
}

impl Comparison {
    /// Whether no value satisfies both, as far as this is evident.
    fn excludes(&self, other: &Comparison) -> bool {
        self.place == other.place
            && match (self.is_one_of, other.is_one_of) {
                (true, true) => !self.values.iter().any(|value| other.values.contains(value)),
                (true, false) => self.values.iter().all(|value| other.values.contains(value)),
                (false, true) => other.values.iter().all(|value| self.values.contains(value)),
                (false, false) => false,
            }
    }
}

/// Whether an array over processes is written by other processes than its owners.
fn is_contested(model: &Model, roots: &[Root], accesses: &[Vec<Access>], root: usize) -> bool {
    let (Owner::Member, _) = owner(model, roots, accesses, root) else { return false };
    let mut rules = model.rules.iter().zip(accesses);
    rules.any(|(rule, all)| {
        let is_own = |access: &Access| match access.term {
            Term::Bound { local, shift } => shift == 0 && rule.owner.parameter == Some(local),
            _ => false,
        };
        all.iter().any(|access| access.root == root && access.writes && !is_own(access))
    })
}

/// The process of a rule itself.
fn own_subject(rule: &Rule) -> Subject {
    match rule.owner.parameter {
        Some(local) => Subject::Bound { local, shift: 0 },
        None => Subject::Single(rule.owner.family),
    }
}

/// Whether two different names may be names of one process.
fn may_be_same(one: Subject, other: Subject) -> bool {
    !matches!(
        (one, other),
        (Subject::Single(_), Subject::Bound { .. } | Subject::Constant(_) | Subject::Single(_))
            | (Subject::Bound { .. } | Subject::Constant(_), Subject::Single(_))
            | (Subject::Constant(_), Subject::Constant(_))
    )
}

/// The conjuncts of a guard, from left to right.
pub(crate) fn conjuncts(guard: &Expression) -> Vec<&Expression> {
    let (mut found, mut open) = (Vec::new(), vec![guard]);
    while let Some(one) = open.pop() {
        match &one.kind {
            ExpressionKind::And(left, right) => open.extend([&**right, &**left]),
            _ => found.push(one),
        }
    }
    found
}

/// All roots of a model, owned by nobody yet.
fn roots(model: &Model) -> Vec<Root> {
    fn add(model: &Model, variable: VariableId, fields: &[u32], of: TypeId, all: &mut Vec<Root>) {
        let root = |index, of| Root {
            variable,
            fields: fields.to_vec(),
            index,
            of,
            owner: Owner::Nobody,
            family: None,
        };
        match model.types.get(of) {
            Type::Record(parts) => {
                for (k, (_, of)) in (0..).zip(parts) {
                    add(model, variable, &[fields, &[k]].concat(), *of, all);
                }
            }
            Type::Array { index, element } => all.push(root(Some(*index), *element)),
            _ => all.push(root(None, of)),
        }
    }
    let mut all = Vec::new();
    for (id, variable) in (0..).map(VariableId).zip(&model.variables) {
        add(model, id, &[], variable.of, &mut all);
    }
    all
}

/// Who owns a root, given the accesses of all rules.
fn owner(
    model: &Model,
    roots: &[Root],
    accesses: &[Vec<Access>],
    root: usize,
) -> (Owner, Option<FamilyId>) {
    let nobody = (Owner::Nobody, None);
    // Elements of a multiset have no places: which one is chosen is not understood.
    if model.types.contains_multiset(roots[root].of) {
        return nobody;
    }
    let all = || {
        let rules = model.rules.iter().zip(accesses);
        rules.flat_map(|(rule, all)| all.iter().map(move |access| (rule, access)))
    };
    let here = || all().filter(|(_, access)| access.root == root);
    let mut writers = here().filter(|(_, access)| access.writes).map(|(rule, _)| rule.owner);
    if let Some(first) = writers.next()
        && first.parameter.is_none()
        && writers.all(|other| other == first)
    {
        return (Owner::Single(first.family), None);
    }
    let Some(index) = roots[root].index else { return nobody };
    let is_own = |(rule, access): &(&Rule, &Access)| match access.term {
        Term::Bound { local, shift: 0 } => rule.owner.parameter == Some(local),
        _ => false,
    };
    let mut families = here().filter(is_own).map(|(rule, _)| rule.owner.family);
    let Some(first) = families.next() else { return nobody };
    // The number of a range is one process in each family, an index or a member of an enumeration is
    // the same process in all.
    if model.types.is_range(index) && families.any(|other| other != first) {
        return nobody;
    }
    let is_unknown = |(_, access): (&Rule, &Access)| access.writes && access.term == Term::Other;
    let family = model.types.is_range(index).then_some(first);
    if here().any(is_unknown) { nobody } else { (Owner::Member, family) }
}

/// By event: whether all of its instances have only one process that can execute them.
fn private_events(model: &Model) -> Vec<bool> {
    // The family of the owner, and the position of the argument that names it.
    let owner = |rule: &Rule| {
        let arguments = rule.scope.iter().filter(|one| !matches!(one, Scope::Alias { .. }));
        let position = rule.owner.parameter.map(|parameter| {
            arguments.into_iter().position(
                |one| matches!(one, Scope::Parameter { local, .. } if *local == parameter),
            )
        });
        (rule.owner.family, position)
    };
    let events = (0..model.events.len() as u32).map(EventId);
    events
        .map(|event| {
            let mut owners = model.rules.iter().filter(|rule| rule.event == event).map(owner);
            let first = owners.next();
            owners.all(|other| Some(other) == first)
        })
        .collect()
}
