//! Certificates that a first draft of the conditions would have accepted, and one for each condition that
//! random forgeries seldom need.

use crate::questions::{check, limits};
use crate::system::{Event, Formula, Meaning, Owner, Point, State, Tiny, Words};
use certify::draft::{Arc, By, Draft, Elimination, Part, Reason};
use certify::{Guess, Uncertified, attempt, certify};
use judge::Renaming;
use ltl::{Atom, Formulas, Node};
use run::Watch;
use terms::{Demand, Fairness, Group, Over, RuleFairness};
use verify::elimination::NodeSets;
use verify::families::Family;
use verify::product::Node as Place;
use verify::{Claim, Condition, Demands, Refusal};

/// The state with this number, and a pointer.
fn state(n: usize, k: u8, at: Option<Point>) -> State {
    State { k, at, bits: vec![false; n], links: vec![None; n] }
}

fn event(name: u8, arguments: &[Point]) -> Event {
    Event { name, arguments: arguments.to_vec() }
}

/// A formula over atoms with these meanings.
fn formula(
    meanings: &[Meaning],
    variables: Vec<Vec<Point>>,
    make: impl FnOnce(&mut Formulas, &[ltl::Formula]) -> ltl::Formula,
) -> Formula {
    let mut formulas = Formulas::new();
    let atoms: Vec<_> = (0..meanings.len() as u32).map(|k| formulas.atom(Atom(k))).collect();
    let root = make(&mut formulas, &atoms);
    Formula { formulas, root, meanings: meanings.to_vec(), variables, is_distinct: false }
}

fn under(fairness: Fairness, over: Over) -> Demand {
    Demand { fairness, over, declared: false }
}

const NONE: Demand = Demand::NONE;

/// Every state is its own representative.
pub(crate) struct Plain;

impl Guess<Tiny> for Plain {
    type By = Renaming;

    fn guess(&mut self, _: &State) -> Option<(State, Renaming)> {
        None
    }

    fn renaming(&self, by: &Renaming) -> Renaming {
        by.clone()
    }
}

/// The condition that rejects a certificate, if leaving it out makes the checker accept.
fn only(tiny: &Tiny, claim: Claim<'_, Words>, draft: &Draft) -> Option<Condition> {
    match check(tiny, &[claim], draft, Demands::default()) {
        Err(Refusal::Rejected(rejected)) => {
            let left_out = Some(rejected.condition);
            let without = check(tiny, &[claim], draft, Demands { left_out });
            without.is_ok().then_some(rejected.condition)
        }
        other => panic!("{other:?}"),
    }
}

/// A certificate with one listed state, or as many as there are arcs to new ones.
fn draft(arcs: Vec<Arc>, elimination: Elimination) -> Draft {
    Draft { arcs, removed: None, parts: vec![Part::Elimination(elimination)] }
}

/// Says that both start states are one, and that each step leads to the other representative of the orbit.
#[derive(Default)]
struct Crossing {
    /// How many states it was asked about.
    asked: usize,
}

impl Guess<Tiny> for Crossing {
    type By = Renaming;

    fn guess(&mut self, state: &State) -> Option<(State, Renaming)> {
        self.asked += 1;
        if self.asked <= 2 && state.at == Some(0) {
            return None;
        }
        let swap = Renaming::new(vec![vec![1, 0]]).expect("a swap");
        let other = State { at: state.at.map(|at| 1 - at), ..state.clone() };
        Some((other, swap))
    }

    fn renaming(&self, by: &Renaming) -> Renaming {
        by.clone()
    }
}

/// Two rules leave an index as it is. Each certificate may list both values of the index, which are one orbit,
/// and say that the steps of one lead to the other.
#[test]
fn two_representatives_of_one_orbit_do_not_make_a_run_unfair() {
    let mut tiny = Tiny::new(&[(Group::Full, 2)]);
    tiny.starts = (0..2).map(|at| state(2, 0, Some(at))).collect();
    for name in 0..2 {
        let from = state(2, 0, Some(0));
        tiny.add(&from, &(Owner::Server, event(name, &[]), from.clone()));
    }
    tiny.close(10).expect("two states");
    // Not (a b)^w.
    let never = formula(&[Meaning::Named(0)], vec![], |fs, atoms| {
        let a = atoms[0];
        let not_a = fs.not(a);
        let (next_a, next_not) = (fs.next(a), fs.next(not_a));
        let to = fs.written(Node::Iff(a, next_not));
        let back = fs.written(Node::Iff(not_a, next_a));
        let both = fs.and2(to, back);
        let always = fs.globally(both);
        let all = fs.and2(a, always);
        fs.not(all)
    });
    let global = under(Fairness::Global, Over::Processes);
    let watch = Watch::none();
    let claim = Claim::Formula(&never, global);
    let made =
        certify(&tiny, &[claim], &mut Crossing::default(), limits(&watch)).expect("two states");
    assert_eq!(made.claims, [Err(Uncertified::Left(Fairness::Global))]);
    // With classes that tell the two apart, which no symmetry respects, there is a certificate.
    tiny.tells_at = true;
    let made =
        certify(&tiny, &[claim], &mut Crossing::default(), limits(&watch)).expect("two states");
    assert!(made.claims[0].is_ok(), "{:?}", made.claims);
    assert!(check(&tiny, &[claim], &made.draft, Demands::default()).is_ok());
    tiny.tells_at = false;
    let refused = check(&tiny, &[claim], &made.draft, Demands::default());
    assert!(matches!(refused, Err(Refusal::Rejected(_))), "{refused:?}");
}

/// Strong fairness to all events is not what one strongly fair rule demands.
#[test]
fn fairness_to_all_is_no_reason_where_one_rule_is_fair() {
    let mut tiny = Tiny::new(&[(Group::Trivial, 1)]);
    let (off, on) = (state(1, 0, None), state(1, 1, None));
    tiny.starts = vec![off.clone()];
    tiny.add(&off, &(Owner::Server, event(0, &[]), off.clone()));
    tiny.add(&off, &(Owner::Server, event(1, &[]), on.clone()));
    tiny.add(&on, &(Owner::Server, event(0, &[]), on.clone()));
    tiny.close(10).expect("two states");
    tiny.fair = [Some(RuleFairness::Strong), None];
    let comes_on = formula(&[Meaning::Is(1)], vec![], |fs, atoms| fs.finally(atoms[0]));
    let all = under(Fairness::Strong, Over::Events);
    let one = Demand { declared: true, ..NONE };
    let watch = Watch::none();
    let made = attempt(&tiny, &comes_on, all, &mut Plain, Demands::default(), limits(&watch));
    let (proof, is_all) = made.expect("two states");
    assert!(is_all, "the switch is turned on if its event is treated fairly");
    assert!(check(&tiny, &[Claim::Formula(&comes_on, all)], &proof, Demands::default()).is_ok());
    let claim = Claim::Formula(&comes_on, one);
    assert!(check(&tiny, &[claim], &proof, Demands::default()).is_err());
    // If what is not owed fairness were listed, the proof would be taken.
    let left_out = Some(Condition::Family);
    assert!(check(&tiny, &[claim], &proof, Demands { left_out }).is_ok());
}

/// A state in which p is always true.
fn always_p() -> Tiny {
    let mut tiny = Tiny::new(&[(Group::Trivial, 1)]);
    let only = state(1, 1, None);
    tiny.starts = vec![only.clone()];
    tiny.add(&only, &(Owner::Server, event(0, &[]), only.clone()));
    tiny.close(10).expect("one state");
    tiny
}

/// `G X F p` and `G F X p` hold where p always does: that an until comes back is no reason to say that it
/// was postponed.
#[test]
fn an_until_that_is_asked_for_again_was_not_postponed() {
    let tiny = always_p();
    let watch = Watch::none();
    for is_next_first in [true, false] {
        let never = formula(&[Meaning::Is(1)], vec![], |fs, atoms| {
            let inner = if is_next_first {
                let f = fs.written(Node::Finally(atoms[0]));
                fs.written(Node::Next(f))
            } else {
                let x = fs.written(Node::Next(atoms[0]));
                fs.written(Node::Finally(x))
            };
            let always = fs.written(Node::Globally(inner));
            fs.not(always)
        });
        let claim = Claim::Formula(&never, NONE);
        let made = certify(&tiny, &[claim], &mut Plain, limits(&watch)).expect("one state");
        assert_eq!(made.claims, [Err(Uncertified::Left(Fairness::None))]);
        // All nodes at one moment, for each until: some edge does not postpone it.
        let made = attempt(&tiny, &never, NONE, &mut Plain, Demands::default(), limits(&watch));
        let (base, _) = made.expect("one state");
        for until in 0..20 {
            let mut forged = base.clone();
            let Some(Part::Elimination(of)) = forged.parts.first_mut() else { panic!() };
            of.reasons = vec![Reason::Until(until)];
            of.ranks.fill(0);
            assert!(check(&tiny, &[claim], &forged, Demands::default()).is_err(), "{until}");
        }
    }
}

/// The nodes {A}, {A, p} and {A, q} of A = G(X p & X q): if each edge could choose another one for each
/// condition, each of them could be said never to be entered.
#[test]
fn all_conditions_see_the_same_node() {
    let tiny = always_p();
    let watch = Watch::none();
    let never = formula(&[Meaning::Is(1), Meaning::Named(0)], vec![], |fs, atoms| {
        let (p, q) = (fs.next(atoms[0]), fs.next(atoms[1]));
        let both = fs.written(Node::And(&[p, q]));
        let always = fs.written(Node::Globally(both));
        fs.not(always)
    });
    let made = attempt(&tiny, &never, NONE, &mut Plain, Demands::default(), limits(&watch));
    let (base, is_all) = made.expect("one state");
    assert!(!is_all);
    let Part::Elimination(of) = &base.parts[0] else { panic!() };
    // The negation, the obligation A alone, and A with both: A is what they all have.
    let full = of.sets.iter().find(|set| set.len() == 3).expect("A, p and q");
    let always = *full.iter().max().expect("A contains p and q");
    let others: Vec<u32> = full.iter().copied().filter(|&one| one != always).collect();
    let negation = of.sets[0].clone();
    let mut rejected = 0;
    for code in 0..4_u32.pow(4) {
        let ranks: Vec<u32> = (0..4).map(|k| code / 4_u32.pow(k) % 4).collect();
        let sets = vec![
            negation.clone(),
            vec![always],
            sorted(vec![always, others[0]]),
            sorted(vec![always, others[1]]),
        ];
        let nodes = (0..4).map(|set| Place { state: 0, tuple: 0, set }).collect();
        let forged =
            Elimination { sets, nodes, ranks, reasons: vec![Reason::Trim; 4], ..of.clone() };
        let forged = draft(base.arcs.clone(), forged);
        let claim = Claim::Formula(&never, NONE);
        assert!(check(&tiny, &[claim], &forged, Demands::default()).is_err());
        rejected += 1;
    }
    assert_eq!(rejected, 256);
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list
}

/// A process has a step, but only to a state of which every run is cut: so it is disabled, and a run that
/// never executes it is fair.
#[test]
fn an_assumption_disables_a_process_two_steps_ahead() {
    struct Keeping(bool);
    impl Guess<Tiny> for Keeping {
        type By = Renaming;

        fn guess(&mut self, state: &State) -> Option<(State, Renaming)> {
            Plain.guess(state)
        }

        fn renaming(&self, by: &Renaming) -> Renaming {
            by.clone()
        }

        fn removed(&mut self, mut computed: Vec<u32>) -> Vec<u32> {
            if self.0 {
                computed.fill(0);
            }
            computed
        }
    }
    let mut tiny = Tiny::new(&[(Group::Trivial, 2)]);
    let [here, doomed, cut] = [None, Some(0), Some(1)].map(|at| state(2, 0, at));
    tiny.starts = vec![here.clone()];
    tiny.add(&here, &(Owner::Point(0), event(0, &[]), here.clone()));
    tiny.add(&here, &(Owner::Point(1), event(1, &[]), doomed.clone()));
    tiny.add(&doomed, &(Owner::Server, event(0, &[]), cut.clone()));
    tiny.close(10).expect("three states");
    // A coin that cuts just that state.
    let coin = (0..10_000).map(|seed| crate::system::Coin { seed, heads: 60 }).find(|&coin| {
        let is = |state| tiny.toss(coin, state, &[]);
        is(&here) && is(&doomed) && !is(&cut)
    });
    tiny.assumption = coin;
    let happens = formula(&[Meaning::Named(1)], vec![], |fs, atoms| fs.finally(atoms[0]));
    let weak = under(Fairness::Weak, Over::Processes);
    let watch = Watch::none();
    let claim = Claim::Formula(&happens, weak);
    let made = certify(&tiny, &[claim], &mut Keeping(false), limits(&watch)).expect("small");
    assert_eq!(made.claims, [Err(Uncertified::Left(Fairness::Weak))]);
    let demands = Demands { left_out: Some(Condition::Kept) };
    let made = attempt(&tiny, &happens, weak, &mut Keeping(true), demands, limits(&watch));
    let (forged, is_all) = made.expect("small");
    assert!(is_all);
    assert_eq!(only(&tiny, claim, &forged), Some(Condition::Kept));
}

/// `forall c, d` is about equal values, too.
#[test]
fn no_tuple_is_left_out() {
    let mut tiny = Tiny::new(&[(Group::Full, 2)]);
    let only_state = state(2, 0, None);
    tiny.starts = vec![only_state.clone()];
    tiny.add(&only_state, &(Owner::Point(0), event(0, &[]), only_state.clone()));
    tiny.close(10).expect("one state");
    let both = vec![vec![0, 1]; 2];
    let mut never = formula(&[Meaning::By(0), Meaning::By(1)], both, |fs, atoms| {
        let both = fs.and2(atoms[0], atoms[1]);
        let not = fs.not(both);
        fs.globally(not)
    });
    let watch = Watch::none();
    never.is_distinct = true;
    let made = attempt(&tiny, &never, NONE, &mut Plain, Demands::default(), limits(&watch));
    let (mut proof, is_all) = made.expect("one state");
    assert!(is_all, "no step is by two processes");
    never.is_distinct = false;
    let claim = Claim::Formula(&never, NONE);
    let made = certify(&tiny, &[claim], &mut Plain, limits(&watch)).expect("one state");
    assert_eq!(made.claims, [Err(Uncertified::Left(Fairness::None))]);
    // The tuples are (0, 0), (0, 1), (1, 0) and (1, 1); without equal values there are two.
    let Some(Part::Elimination(of)) = proof.parts.first_mut() else { panic!() };
    let swap = of.tuples[1].1.clone();
    of.tuples = vec![(1, By::Known(0)), (1, By::Known(0)), (1, swap), (1, By::Known(0))];
    of.nodes.iter_mut().for_each(|node| node.tuple += 1);
    assert_eq!(only(&tiny, claim, &proof), Some(Condition::Tuples));
}

/// In a ring, two neighbours cannot be exchanged.
#[test]
fn a_renaming_that_is_no_rotation_is_refused() {
    struct Exchanging;
    impl Guess<Tiny> for Exchanging {
        type By = Renaming;

        fn guess(&mut self, start: &State) -> Option<(State, Renaming)> {
            let swap = Renaming::new(vec![vec![1, 0, 2, 3]]).expect("a permutation");
            let least = State { bits: vec![true, false, true, false], ..start.clone() };
            match &start.bits[..] {
                [false, true, true, false] => Some((least, swap)),
                _ => None,
            }
        }

        fn renaming(&self, by: &Renaming) -> Renaming {
            by.clone()
        }
    }
    let mut tiny = Tiny::new(&[(Group::Rotations, 4)]);
    let with = |bits: [bool; 4], k| State { bits: bits.to_vec(), ..state(4, k, None) };
    let (apart, together) =
        (with([true, false, true, false], 0), with([false, true, true, false], 0));
    let bad = with([false; 4], 1);
    tiny.starts = vec![apart.clone(), with([false, true, false, true], 0)];
    tiny.add(&apart, &(Owner::Server, event(0, &[]), together.clone()));
    tiny.add(&together, &(Owner::Server, event(0, &[]), bad.clone()));
    tiny.close(20).expect("few states");
    let never = formula(&[Meaning::Is(1)], vec![], |fs, atoms| {
        let not = fs.not(atoms[0]);
        fs.globally(not)
    });
    let watch = Watch::none();
    let demands = Demands { left_out: Some(Condition::Group) };
    // Only one of the rotations of the neighbours is exchanged: one start, one step.
    tiny.arrows.retain(|_, arrows| {
        arrows.retain(|arrow| arrow.2.bits != [true, true, false, false]);
        arrows.retain(|arrow| arrow.2.bits != [false, false, true, true]);
        arrows.retain(|arrow| arrow.2.bits != [true, false, false, true]);
        true
    });
    tiny.starts.truncate(1);
    let made = attempt(&tiny, &never, NONE, &mut Exchanging, demands, limits(&watch));
    let (forged, is_all) = made.expect("few states");
    assert!(is_all);
    assert_eq!(only(&tiny, Claim::Formula(&never, NONE), &forged), Some(Condition::Group));
}

/// Two states, between which a run goes to and fro, by different processes.
fn to_and_fro() -> Tiny {
    let mut tiny = Tiny::new(&[(Group::Trivial, 2)]);
    let (off, on) = (state(2, 0, None), state(2, 1, None));
    tiny.starts = vec![off.clone()];
    tiny.add(&off, &(Owner::Point(0), event(0, &[]), on.clone()));
    tiny.add(&on, &(Owner::Point(1), event(1, &[]), off.clone()));
    tiny.close(10).expect("two states");
    tiny
}

/// An until that is postponed on one half of a loop is not postponed for ever.
#[test]
fn what_leads_to_a_postponing_node_goes_with_it() {
    let tiny = to_and_fro();
    let watch = Watch::none();
    // The negation: G F on, which the run satisfies.
    let never = formula(&[Meaning::Is(1)], vec![], |fs, atoms| {
        let finally = fs.written(Node::Finally(atoms[0]));
        let always = fs.written(Node::Globally(finally));
        fs.not(always)
    });
    let claim = Claim::Formula(&never, NONE);
    let made = attempt(&tiny, &never, NONE, &mut Plain, Demands::default(), limits(&watch));
    let (base, is_all) = made.expect("two states");
    assert!(!is_all);
    let Part::Elimination(of) = &base.parts[0] else { panic!() };
    let mut found = false;
    for code in 0..2_u32.pow(of.nodes.len() as u32) {
        for until in 0..8 {
            let ranks = (0..of.nodes.len()).map(|k| code >> k & 1).collect();
            let reasons = vec![Reason::Until(until), Reason::Trim];
            let forged = Elimination { ranks, reasons, ..of.clone() };
            let forged = draft(base.arcs.clone(), forged);
            match check(&tiny, &[claim], &forged, Demands::default()) {
                Err(Refusal::Malformed(_)) => {}
                _ => found |= only(&tiny, claim, &forged) == Some(Condition::UntilSource),
            }
        }
    }
    assert!(found);
}

/// An object that one node calls unserved, and the node before it does not.
#[test]
fn unserved_objects_are_carried() {
    let tiny = to_and_fro();
    let watch = Watch::none();
    let never = formula(&[], vec![], |_, _| ltl::Formula::FALSE);
    let strong = under(Fairness::Strong, Over::Processes);
    let claim = Claim::Formula(&never, strong);
    let made = attempt(&tiny, &never, strong, &mut Plain, Demands::default(), limits(&watch));
    let (base, is_all) = made.expect("two states");
    assert!(!is_all, "the run is fair");
    let Part::Elimination(of) = &base.parts[0] else { panic!() };
    let family =
        of.families.iter().position(|(one, _)| *one == Family::Processes(RuleFairness::Strong));
    let family = family.expect("it is demanded") as u32;
    // In each node, the process whose turn it is; the other one is served by the step that leads there.
    let mut objects = NodeSets::default();
    let nodes = of.nodes.iter().zip(0..);
    nodes.for_each(|(node, number)| objects.push(number, &[u32::from(node.state == 1)]));
    let reasons = vec![Reason::Unserved { family, objects }];
    let ranks = vec![0; of.nodes.len()];
    let forged = draft(base.arcs.clone(), Elimination { ranks, reasons, ..of.clone() });
    assert_eq!(only(&tiny, claim, &forged), Some(Condition::Carried));
}

/// All states of a moment are of the class that its reason speaks about.
#[test]
fn states_of_another_class_are_not_eliminated_with_it() {
    // Off and on, each with an event of both names; the run only uses one of them in each.
    let tiny = to_and_fro();
    let watch = Watch::none();
    let never = formula(&[], vec![], |_, _| ltl::Formula::FALSE);
    let global = under(Fairness::Global, Over::Processes);
    let claim = Claim::Formula(&never, global);
    let made = attempt(&tiny, &never, global, &mut Plain, Demands::default(), limits(&watch));
    let (base, is_all) = made.expect("two states");
    assert!(!is_all, "the run is fair");
    let Part::Elimination(of) = &base.parts[0] else { panic!() };
    let mut conditions = Vec::new();
    for state in 0..2 {
        let reasons = vec![Reason::Class(vec![(0, state, 0)])];
        let ranks = vec![0; of.nodes.len()];
        let forged = draft(base.arcs.clone(), Elimination { ranks, reasons, ..of.clone() });
        let refused = check(&tiny, &[claim], &forged, Demands::default());
        let Err(Refusal::Rejected(rejected)) = refused else { panic!("{refused:?}") };
        conditions.push(rejected.condition);
    }
    assert!(conditions.contains(&Condition::ClassExists), "{conditions:?}");
}

/// A start state where nothing changes for ever, and another one, with the same numbers of bits or not, that
/// is left by one step. Each state is of the only process.
fn resting(bits: [bool; 2], name: u8, leads_back: bool) -> Tiny {
    let mut tiny = Tiny::new(&[(Group::Trivial, 2)]);
    let rest = State { bits: vec![true, false], ..state(2, 0, None) };
    let other = State { bits: bits.to_vec(), ..state(2, 0, None) };
    let done = state(2, 1, None);
    let target = if leads_back { &rest } else { &done };
    tiny.starts = vec![rest.clone(), other.clone()];
    tiny.add(&rest, &(Owner::Server, event(0, &[]), rest.clone()));
    tiny.add(&other, &(Owner::Server, event(name, &[]), target.clone()));
    tiny.add(&done, &(Owner::Server, event(0, &[]), done.clone()));
    tiny.close(10).expect("three states");
    tiny
}

/// The rest is said to be eliminated by the class of the other start state and its only step.
fn rest_is_eliminated(tiny: &Tiny) -> Option<Condition> {
    let watch = Watch::none();
    // The run that rests violates it.
    let ends = formula(&[Meaning::Is(1)], vec![], |fs, atoms| fs.finally(atoms[0]));
    let global = under(Fairness::Global, Over::Processes);
    let made = attempt(tiny, &ends, global, &mut Plain, Demands::default(), limits(&watch));
    let (base, is_all) = made.expect("few states");
    assert!(!is_all);
    let Part::Elimination(of) = &base.parts[0] else { panic!() };
    // Listed are the two start states, then where the other one leads. Nothing leads to the other one.
    let ranks = of.nodes.iter().map(|node| [1, 0, 2][node.state as usize]).collect();
    let class = Reason::Class(vec![(0, 1, 0)]);
    let mut reasons = vec![Reason::Trim, class];
    reasons.extend((base.states() > 2).then_some(Reason::Trim));
    let forged = draft(base.arcs.clone(), Elimination { ranks, reasons, ..of.clone() });
    only(tiny, Claim::Formula(&ends, global), &forged)
}

#[test]
fn a_state_without_a_step_of_the_class_is_not_eliminated_with_it() {
    let tiny = resting([false, true], 1, false);
    assert_eq!(rest_is_eliminated(&tiny), Some(Condition::ClassExists));
}

#[test]
fn a_class_of_steps_is_one_of_a_class_of_states() {
    let tiny = resting([true, true], 0, true);
    assert_eq!(rest_is_eliminated(&tiny), Some(Condition::ClassExists));
}

/// Parts are put in order, and yet a loop leads through both.
#[test]
fn edges_ascend_in_an_order() {
    let tiny = to_and_fro();
    let watch = Watch::none();
    let never = formula(&[], vec![], |_, _| ltl::Formula::FALSE);
    let made = attempt(&tiny, &never, NONE, &mut Plain, Demands::default(), limits(&watch));
    let (base, is_all) = made.expect("two states");
    assert!(!is_all, "there is a run");
    let Part::Elimination(of) = &base.parts[0] else { panic!() };
    let mut parts = NodeSets::default();
    (0..).zip(&of.nodes).for_each(|(number, node)| parts.push(number, &[node.state]));
    // Without the edge from the first part to the second one, nothing leads there, and then nowhere.
    let reasons = vec![Reason::Order(parts.clone()), Reason::Trim, Reason::Trim];
    let ranks = of.nodes.iter().map(|node| 2 - node.state).collect();
    let forged = draft(base.arcs.clone(), Elimination { ranks, reasons, ..of.clone() });
    assert_eq!(only(&tiny, Claim::Formula(&never, NONE), &forged), Some(Condition::Ascends));
    // An order eliminates nothing.
    let (reasons, ranks) = (vec![Reason::Order(parts)], vec![0; of.nodes.len()]);
    let forged = draft(base.arcs, Elimination { ranks, reasons, ..of.clone() });
    let refused = check(&tiny, &[Claim::Formula(&never, NONE)], &forged, Demands::default());
    let Err(Refusal::Rejected(rejected)) = refused else { panic!("{refused:?}") };
    assert!([Condition::Eliminated, Condition::Ascends].contains(&rejected.condition));
}

#[test]
fn what_fails_is_not_certified() {
    let mut tiny = to_and_fro();
    let watch = Watch::none();
    let claim = Claim::NoFailure;
    let made = certify(&tiny, &[claim], &mut Plain, limits(&watch)).expect("two states");
    assert!(check(&tiny, &[claim], &made.draft, Demands::default()).is_ok());
    tiny.faulty = tiny.arrows.keys().last().cloned();
    assert!(certify(&tiny, &[claim], &mut Plain, limits(&watch)).is_err());
    assert!(check(&tiny, &[claim], &made.draft, Demands::default()).is_err());
    // A state that fails has no steps.
    let without = Draft { arcs: made.draft.arcs[..2].to_vec(), ..made.draft };
    assert_eq!(only(&tiny, claim, &without), Some(Condition::NoFailure));
}

/// A list of all conditions that some test leaves out: those of these tests, and those that the forgeries of
/// `forge` need when there are a hundred thousand.
#[test]
fn every_condition_is_left_out_somewhere() {
    let named = [
        Condition::Ascends,
        Condition::ClassExists,
        Condition::Group,
        Condition::Kept,
        Condition::NoFailure,
        Condition::Tuples,
        Condition::UntilSource,
        Condition::Carried,
        Condition::Family,
    ];
    let forged = [
        Condition::ClassTaken,
        Condition::Closed,
        Condition::Eliminated,
        Condition::Fits,
        Condition::Global,
        Condition::Goal,
        Condition::Invariant,
        Condition::Near,
        Condition::Nearer,
        Condition::NoDeadlock,
        Condition::NotServed,
        Condition::Premise,
        Condition::Removed,
        Condition::Start,
        Condition::Trim,
        Condition::UntilPostponed,
    ];
    let mut all: Vec<Condition> = named.into_iter().chain(forged).collect();
    all.sort_unstable();
    assert_eq!(all, Condition::ALL);
}
