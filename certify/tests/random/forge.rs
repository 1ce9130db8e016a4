//! Forged certificates: none is accepted for what is violated. Without a condition, some are.

use crate::brute::{self, Truth};
use crate::questions::{Lie, Looking, check, demand, is_violated, limits};
use crate::system::{GOOD, LIVE, LIVE_EACH, Tiny, Words};
use certify::attempt;
use certify::draft::{By, Draft, Elimination, Part, Reason};
use judge::Deadlock;
use run::{SplitMix64, Watch};
use std::collections::BTreeMap;
use terms::{Demand, Fairness, Over, RuleFairness};
use verify::elimination::NodeSets;
use verify::families::Family;
use verify::{Claim, Condition, Demands, Refusal};

/// A random permutation of the values of each index type, in the group or not.
fn renaming(rng: &mut SplitMix64, tiny: &Tiny) -> judge::Renaming {
    let images = tiny.types.iter().map(|of| {
        let mut left: Vec<u32> = (0..of.size).collect();
        (0..of.size).map(|_| left.swap_remove(rng.below(left.len()))).collect()
    });
    judge::Renaming::new(images.collect()).expect("permutations")
}

fn family(rng: &mut SplitMix64, tiny: &Tiny) -> Family {
    let strength = [RuleFairness::Weak, RuleFairness::Strong][rng.below(2)];
    match rng.below(3) {
        0 => Family::Processes(strength),
        1 => Family::Events(strength),
        _ => Family::Requirement(rng.below(tiny.requirements.len().max(1)) as u32),
    }
}

/// Any reason.
fn reason(rng: &mut SplitMix64, tiny: &Tiny, of: &mut Elimination, states: usize) -> Reason {
    match rng.below(6) {
        0 => Reason::Trim,
        1 => {
            let all: Vec<u32> = of.sets.iter().flatten().copied().collect();
            Reason::Until(rng.pick(&all).copied().unwrap_or(0))
        }
        2 => {
            let one = |_| [rng.below(2), rng.below(states), rng.below(2)].map(|one| one as u32);
            let all: Vec<_> = (0..3).map(one).collect();
            let count = 1 + rng.below(all.len());
            Reason::Class(
                all[..count].iter().map(|&[part, state, step]| (part, state, step)).collect(),
            )
        }
        3 => {
            let (mut parts, count) = (NodeSets::default(), 2 + rng.below(3));
            for node in 0..of.nodes.len() as u32 {
                parts.push(node, &[rng.below(count) as u32]);
            }
            Reason::Order(parts)
        }
        _ => {
            if of.families.is_empty() || rng.below(4) == 0 {
                of.families.push((family(rng, tiny), Vec::new()));
            }
            let family = rng.below(of.families.len()) as u32;
            let (mut objects, is_all, most) =
                (NodeSets::default(), rng.below(2) == 0, 1 + rng.below(6));
            for node in 0..of.nodes.len() as u32 {
                let all: Vec<u32> = (0..most as u32).collect();
                let some = all.iter().copied().filter(|_| is_all || rng.below(2) == 0);
                objects.push(node, &some.collect::<Vec<_>>());
            }
            Reason::Unserved { family, objects }
        }
    }
}

/// Adds and removes some objects.
fn shaken(rng: &mut SplitMix64, objects: &NodeSets, nodes: usize) -> NodeSets {
    let mut shaken = NodeSets::default();
    let fills = rng.below(3) == 0;
    let all: Vec<u32> = (0..nodes as u32).flat_map(|node| objects.of(node).to_vec()).collect();
    for node in 0..nodes as u32 {
        let mut set = objects.of(node).to_vec();
        match rng.below(8) {
            0 if !set.is_empty() => drop(set.remove(rng.below(set.len()))),
            1 => set.extend(rng.pick(&all)),
            _ if fills => set.extend(&all),
            _ => {}
        }
        set.sort_unstable();
        set.dedup();
        shaken.push(node, &set);
    }
    shaken
}

fn forge_elimination(rng: &mut SplitMix64, tiny: &Tiny, of: &mut Elimination, states: usize) {
    let (nodes, moments) = (of.nodes.len(), of.reasons.len());
    if nodes == 0 {
        return;
    }
    match rng.below(13) {
        0 | 1 => {
            let rank = rng.below(moments + 1) as u32;
            of.ranks[rng.below(nodes)] = rank;
        }
        2 if moments > 1 => of.reasons.swap(rng.below(moments), rng.below(moments)),
        3 if moments > 0 => of.reasons[rng.below(moments)] = of.reasons[rng.below(moments)].clone(),
        4 | 5 => {
            let k = rng.below(moments);
            if let Some(Reason::Unserved { family, objects }) = of.reasons.get(k) {
                let objects = shaken(rng, objects, nodes);
                of.reasons[k] = Reason::Unserved { family: *family, objects };
            } else if let Some(Reason::Order(parts)) = of.reasons.get(k) {
                of.reasons[k] = Reason::Order(shaken(rng, parts, nodes));
            }
        }
        6 if moments > 0 => {
            let reason = reason(rng, tiny, of, states);
            of.reasons[rng.below(moments)] = reason;
        }
        7 => {
            let k = rng.below(of.sets.len());
            let set = &mut of.sets[k];
            if !set.is_empty() {
                set.remove(rng.below(set.len()));
            }
        }
        8 => {
            let node = rng.below(nodes);
            of.nodes.remove(node);
            of.ranks.remove(node);
            for reason in &mut of.reasons {
                if let Reason::Unserved { objects, .. } | Reason::Order(objects) = reason {
                    let mut left = NodeSets::default();
                    let kept = (0..nodes).filter(|&one| one != node);
                    kept.zip(0..).for_each(|(one, place)| left.push(place, objects.of(one as u32)));
                    *objects = left;
                }
            }
        }
        9 if of.tuples.len() > 1 => {
            let k = rng.below(of.tuples.len());
            of.tuples[k] = of.tuples[rng.below(of.tuples.len())].clone();
        }
        10 => {
            // All at one moment or two, for any reasons.
            let count = 1 + rng.below(2);
            of.reasons = (0..count).map(|_| reason(rng, tiny, of, states)).collect();
            of.ranks.iter_mut().for_each(|rank| *rank = rng.below(count) as u32);
        }
        11 if !of.families.is_empty() => {
            let k = rng.below(of.families.len());
            of.families[k] = (family(rng, tiny), Vec::new());
        }
        _ => {
            let merged = rng.below(moments + 1) as u32;
            of.ranks.iter_mut().for_each(|rank| *rank = (*rank).min(merged));
        }
    }
}

/// Changes something.
fn forge(rng: &mut SplitMix64, tiny: &Tiny, draft: &mut Draft) {
    let states = draft.states();
    if states == 0 {
        return;
    }
    match rng.below(16) {
        0 => {
            let k = rng.below(draft.arcs.len());
            draft.arcs[k].by = By::New(Box::new(renaming(rng, tiny)));
        }
        1 => {
            let k = rng.below(draft.arcs.len());
            let known = draft.arcs[..k].iter().map(|arc| arc.source + 1).max().unwrap_or(0);
            draft.arcs[k].source = rng.below(known as usize + 1) as u32;
        }
        2 | 3 if draft.removed.is_some() => {
            let all = draft.removed.as_mut().expect("it is there");
            for _ in 0..=rng.below(3) {
                let one = rng.below(all.len());
                all[one] = rng.below(4) as u32;
            }
            let removed = all.clone();
            if let Some(Part::Elimination(of)) = draft.parts.first_mut() {
                let is_kept = |node: usize| {
                    let state = of.nodes[node].state as usize;
                    removed.get(state).is_none_or(|&number| number == 0)
                };
                let kept: Vec<usize> = (0..of.nodes.len()).filter(|&node| is_kept(node)).collect();
                of.nodes = kept.iter().map(|&node| of.nodes[node]).collect();
                of.ranks = kept.iter().map(|&node| of.ranks[node]).collect();
                for reason in &mut of.reasons {
                    if let Reason::Unserved { objects, .. } | Reason::Order(objects) = reason {
                        let mut left = NodeSets::default();
                        for (&node, place) in kept.iter().zip(0..) {
                            left.push(place, objects.of(node as u32));
                        }
                        *objects = left;
                    }
                }
            }
        }
        _ => {
            if let Some(Part::Elimination(of)) = draft.parts.first_mut() {
                forge_elimination(rng, tiny, of, states);
            }
        }
    }
}

/// The number of forgeries; `CERTIFY_FORGERIES` asks for more.
fn forgeries() -> usize {
    let asked = std::env::var("CERTIFY_FORGERIES").ok();
    asked.map_or(2_000, |asked| asked.parse().expect("a number of forgeries"))
}

#[derive(Default)]
struct Tally {
    forged: usize,
    of_violated: usize,
    accepted: usize,
    without: BTreeMap<String, usize>,
}

impl Tally {
    /// Shows a forgery to the checker, and to one without the condition that it fails.
    fn show(&mut self, tiny: &Tiny, claims: &[Claim<'_, Words>], draft: &Draft, is_false: bool) {
        self.forged += 1;
        self.of_violated += usize::from(is_false);
        match check(tiny, claims, draft, Demands::default()) {
            Ok(_) => {
                assert!(!is_false, "accepted: {claims:?} {draft:?}");
                self.accepted += 1;
            }
            Err(Refusal::Rejected(rejected)) if is_false => {
                let left_out = Some(rejected.condition);
                if check(tiny, claims, draft, Demands { left_out }).is_ok() {
                    *self.without.entry(format!("{:?}", rejected.condition)).or_default() += 1;
                }
            }
            Err(_) => {}
        }
    }
}

#[test]
fn no_forgery_is_accepted_for_what_is_violated() {
    let mut rng = SplitMix64::new(2);
    let watch = Watch::none();
    let mut tally = Tally::default();
    while tally.forged < forgeries() {
        let Some(tiny) = Tiny::random(&mut rng) else { continue };
        let (formula, asked) = (tiny.formula(&mut rng), demand(&mut rng));
        let is_false = is_violated(&Truth::new(&tiny, asked), &formula);
        if !is_false && rng.below(8) > 0 {
            continue;
        }
        let mut looking =
            Looking { tiny: &tiny, is_sloppy: rng.below(3) == 0, seed: rng.next(), lie: Lie::None };
        let claims = [Claim::Formula(&formula, asked)];
        // Proofs of what is asked, and of more fairness than is asked for.
        let more = Demand { fairness: Fairness::Strong, over: Over::Events, declared: true };
        let global = Demand { fairness: Fairness::Global, ..more };
        let lies = [
            Lie::None,
            Lie::None,
            Lie::None,
            Lie::Group,
            Lie::Fits(3),
            Lie::Fits(8),
            Lie::Kept,
            Lie::Removed,
        ];
        for (proved, lie) in
            [asked, more, global, asked, asked, asked, asked, asked].into_iter().zip(lies)
        {
            if matches!(lie, Lie::Kept | Lie::Removed) && tiny.assumption.is_none() {
                continue;
            }
            looking.lie = lie;
            // The lie is not noticed when it is written down.
            let left_out = match lie {
                Lie::None => None,
                Lie::Group => Some(Condition::Group),
                Lie::Fits(_) => Some(Condition::Fits),
                Lie::Kept => Some(Condition::Kept),
                Lie::Removed => Some(Condition::Removed),
            };
            let demands = Demands { left_out };
            let made = attempt(&tiny, &formula, proved, &mut looking, demands, limits(&watch));
            let Ok((base, _)) = made else { continue };
            tally.show(&tiny, &claims, &base, is_false);
            for _ in 0..if lie == Lie::None { 12 } else { 2 } {
                let mut forged = base.clone();
                if let Some(Part::Elimination(of)) = forged.parts.first_mut()
                    && rng.below(2) == 0
                {
                    // What is left is eliminated at a last moment, or at the first one.
                    let last = reason(&mut rng, &tiny, of, base.states().max(1));
                    of.reasons.insert(0, last);
                    of.ranks.iter_mut().for_each(|rank| *rank += u32::from(*rank > 0));
                }
                for _ in 0..=rng.below(3) {
                    forge(&mut rng, &tiny, &mut forged);
                }
                tally.show(&tiny, &claims, &forged, is_false);
            }
        }
        looking.lie = Lie::None;
        states(&mut rng, &tiny, &mut looking, &mut tally);
    }
    let Tally { forged, of_violated, accepted, without } = tally;
    println!("forged {forged}, of what is violated {of_violated}, accepted and true {accepted}");
    println!("{without:#?}");
    // Forgeries that need the others are seldom: there are more in `named`.
    let often = [
        Condition::Eliminated,
        Condition::Invariant,
        Condition::Near,
        Condition::Nearer,
        Condition::NoDeadlock,
        Condition::Trim,
    ];
    let is_long = forgeries() >= 100_000;
    let seldom = [
        Condition::ClassTaken,
        Condition::Closed,
        Condition::Fits,
        Condition::Global,
        Condition::Goal,
        Condition::NotServed,
        Condition::Premise,
        Condition::Removed,
        Condition::Start,
        Condition::UntilPostponed,
    ];
    let often = often.into_iter().chain(seldom.into_iter().filter(|_| is_long));
    let is_tame = |one: &Condition| !without.contains_key(&format!("{one:?}"));
    let tame: Vec<_> = often.filter(is_tame).collect();
    assert_eq!(tame, [], "no forgery needs these conditions");
}

/// Forgeries about properties of states.
fn states(rng: &mut SplitMix64, tiny: &Tiny, looking: &mut Looking<'_>, tally: &mut Tally) {
    let watch = Watch::none();
    let good = Claim::Invariant(GOOD);
    let made = certify::certify(tiny, &[good], looking, limits(&watch)).expect("it is small");
    tally.show(tiny, &[good], &made.draft, brute::is_false(tiny, GOOD));
    for deadlock in [Deadlock::Stuck, Deadlock::Stuttering] {
        let claim = Claim::NoDeadlock(deadlock);
        let is_false = brute::has_deadlock(tiny, deadlock == Deadlock::Stuttering);
        tally.show(tiny, &[claim], &made.draft, is_false);
    }
    for (property, choices) in [(LIVE, 1), (LIVE_EACH, tiny.points)] {
        let claim = Claim::Liveness(property);
        let is_false = brute::is_false(tiny, property);
        for most in [1, 2, 4] {
            let mut list = || (0..made.draft.states()).map(|_| rng.below(most) as u32).collect();
            let all = (0..choices).map(|_| list()).collect();
            let draft = Draft { parts: vec![Part::Distances(all)], ..made.draft.clone() };
            tally.show(tiny, &[claim], &draft, is_false);
        }
    }
}
