//! Every question that holds is certified, and its certificate is accepted; no question that is violated
//! is certified.

use crate::brute::{self, Truth};
use crate::named::Plain;
use crate::system::{Formula, GOOD, LIVE, LIVE_EACH, State, Tiny, Words, image_of};
use certify::draft::Draft;
use certify::{Guess, Limits, Uncertified, certify};
use judge::{Deadlock, Renaming};
use run::{SplitMix64, Watch};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use terms::{Demand, Fairness, Over};
use verify::{Claim, Demands, Refusal, Verified};

/// Guesses representatives by looking at all permutations.
pub(crate) struct Looking<'t> {
    pub(crate) tiny: &'t Tiny,
    /// Whether an orbit may have two representatives.
    pub(crate) is_sloppy: bool,
    pub(crate) seed: u64,
    pub(crate) lie: Lie,
}

/// What is wrong with guesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lie {
    /// Nothing.
    None,
    /// Renamings may be outside of the group.
    Group,
    /// One state in so many is said to be another one.
    Fits(usize),
    /// Removed states are said to remain.
    Kept,
    /// Some states are said to be removed.
    Removed,
}

impl Looking<'_> {
    fn guess(&self, state: &State) -> (State, Renaming) {
        let hash = |of: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            self.seed.hash(&mut hasher);
            of(&mut hasher);
            hasher.finish() as usize
        };
        let all = self.tiny.all_permutations();
        let group = if self.lie == Lie::Group { &all } else { &self.tiny.group };
        let least = group.iter().map(|by| image_of(by, state)).min().expect("the identity");
        let coin = hash(&|hasher| state.hash(hasher));
        if let Lie::Fits(one_in) = self.lie
            && coin / 11 % one_in == 0
        {
            let known: Vec<&State> = self.tiny.arrows.keys().collect();
            let other = known[coin / 13 % known.len()];
            return (other.clone(), self.tiny.renaming(&group[coin / 17 % group.len()]));
        }
        let representative = if self.is_sloppy && coin.is_multiple_of(2) {
            image_of(&group[coin / 2 % group.len()], &least)
        } else {
            least
        };
        let fits: Vec<_> =
            group.iter().filter(|by| image_of(by, &representative) == *state).collect();
        let by = fits[coin / 7 % fits.len()];
        (representative, self.tiny.renaming(by))
    }
}

impl Guess<Tiny> for Looking<'_> {
    type By = Renaming;

    fn guess(&mut self, state: &State) -> Option<(State, Renaming)> {
        let (guessed, by) = Looking::guess(self, state);
        (guessed != *state || !by.is_identity()).then_some((guessed, by))
    }

    fn renaming(&self, by: &Renaming) -> Renaming {
        by.clone()
    }

    fn removed(&mut self, mut computed: Vec<u32>) -> Vec<u32> {
        match self.lie {
            Lie::Kept => computed.fill(0),
            Lie::Removed => {
                for (k, number) in computed.iter_mut().enumerate() {
                    *number = u32::from((self.seed >> (k % 48)).is_multiple_of(4));
                }
            }
            _ => {}
        }
        computed
    }
}

pub(crate) fn check(
    tiny: &Tiny,
    claims: &[Claim<'_, Words>],
    draft: &Draft,
    demands: Demands,
) -> Result<Verified, Refusal> {
    let mut bytes = Vec::new();
    certify::wire::compress([draft.written().bytes()], &mut bytes).expect("memory can be written");
    verify::verify(tiny, claims, &bytes[..], demands, 1, &Watch::none())
}

pub(crate) fn limits(watch: &Watch) -> Limits<'_> {
    Limits { most_nodes: 20_000, ..Limits::new(1, watch) }
}

/// A demand that is asked about.
pub(crate) fn demand(rng: &mut SplitMix64) -> Demand {
    let fairness = match rng.below(10) {
        0..2 => Fairness::None,
        2..5 => Fairness::Weak,
        5..8 => Fairness::Strong,
        _ => Fairness::Global,
    };
    let over = [Over::Processes, Over::Events][rng.below(2)];
    Demand { fairness, over, declared: rng.below(3) > 0 }
}

pub(crate) fn is_violated(truth: &Truth<'_>, formula: &Formula) -> bool {
    brute::tuples(formula).iter().any(|tuple| truth.is_violated(formula, tuple))
}

/// The number of questions; `CERTIFY_QUESTIONS` asks more.
fn questions() -> usize {
    let asked = std::env::var("CERTIFY_QUESTIONS").ok();
    asked.map_or(400, |asked| asked.parse().expect("a number of questions"))
}

#[test]
fn what_holds_is_certified_and_nothing_else() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rng = SplitMix64::new(1);
    let watch = Watch::none();
    let mut done = 0;
    while done < questions() {
        let Some(tiny) = Tiny::random(&mut rng) else { continue };
        done += 1;
        let mut count =
            |what: &'static str, is: bool| *counts.entry(what).or_default() += usize::from(is);
        let (formula, demand) = (tiny.formula(&mut rng), demand(&mut rng));
        let truth = Truth::new(&tiny, demand);
        let is_violated = is_violated(&truth, &formula);
        let mut looking =
            Looking { tiny: &tiny, is_sloppy: rng.below(3) == 0, seed: rng.next(), lie: Lie::None };
        let claims = [Claim::Formula(&formula, demand)];
        let made = certify(&tiny, &claims, &mut looking, limits(&watch)).expect("it is small");
        let is_global = demand.fairness == Fairness::Global;
        count("questions", true);
        count("violated", is_violated);
        count("global, hold", is_global && !is_violated);
        count("states that remain", truth.states() > 0);
        match &made.claims[0] {
            Ok(_) => {
                assert!(!is_violated, "{done}: certified, but violated");
                let answer = check(&tiny, &claims, &made.draft, Demands::default());
                assert!(answer.is_ok(), "{done}: {answer:?}");
                count("certified", true);
            }
            // Under symmetry some need the rule about components. Without it, all that holds is certified.
            Err(Uncertified::Left(Fairness::Global)) => {
                let made = certify(&tiny, &claims, &mut Plain, limits(&watch));
                let made = made.expect("it is small");
                let is_certified = made.claims[0].is_ok();
                assert_eq!(is_certified, !is_violated, "{done}: {:?}", made.claims);
                if is_certified {
                    let answer = check(&tiny, &claims, &made.draft, Demands::default());
                    assert!(answer.is_ok(), "{done}: {answer:?}");
                }
                count("certified without symmetry alone", is_certified);
            }
            Err(Uncertified::Left(_)) => assert!(is_violated, "{done}: it holds"),
            Err(Uncertified::Nodes(_)) => count("too many nodes", true),
            Err(other) => panic!("{done}: {other}"),
        }
        // Properties of states.
        for (claim, is_false) in [
            (Claim::Invariant(GOOD), brute::is_false(&tiny, GOOD)),
            (Claim::Liveness(LIVE), brute::is_false(&tiny, LIVE)),
            (Claim::Liveness(LIVE_EACH), brute::is_false(&tiny, LIVE_EACH)),
            (Claim::NoDeadlock(Deadlock::Stuck), brute::has_deadlock(&tiny, false)),
            (Claim::NoDeadlock(Deadlock::Stuttering), brute::has_deadlock(&tiny, true)),
        ] {
            let made = certify(&tiny, &[claim], &mut looking, limits(&watch)).expect("it is small");
            let is_certified = made.claims[0].is_ok()
                && check(&tiny, &[claim], &made.draft, Demands::default()).is_ok();
            assert_eq!(is_certified, !is_false, "{done}: {claim:?}");
            count("properties that hold", !is_false);
        }
    }
    println!("{counts:#?}");
    assert!(counts["certified"] * 5 > counts["questions"], "{counts:?}");
    assert!(counts["violated"] * 5 > counts["questions"], "{counts:?}");
}
