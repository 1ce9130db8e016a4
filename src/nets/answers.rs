//! Answers to questions about a net, as soon as they are known.
//!
//! Time is shared: questions are asked in rounds, in each of which an open one gets more time than
//! before, so that a hard one does not starve the others. What a round has learned of the states stays:
//! all share one space. What is asked of all markings (bounds, dead markings, formulas `G condition`) is
//! answered by one exploration, or by a walk that reaches as many tokens as the state equation allows; a
//! condition that it has seen violated is searched alone, for a run. From the second round on, random runs
//! are read by all open formulas: most formulas about huge nets are violated by many runs. If some place needs more room than was
//! thought, the space is begun again.

use crate::check::states::StatesStatistics;
use crate::check::{self, Engine, Shortening, check_all_on};
use crate::explore::{self, Exploration};
use crate::{Counterexample, Outcome, Verdict};
use engine::explore::{Asked, Deadlock, Symmetry as States, explore_asked};
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use judge::{Argument, Claim, Objection, Run, judge, judge_claim, judge_laps};
use ltl::{Lasso, Letter};
use nets::game::NetVocabulary;
use nets::{
    Bounds, Fault, Figure, Formula, Net, PackedNet, Question, Simplifier, Symmetry, Watched,
    equation,
};
use run::{SplitMix64, StopReason, Watch};
use std::time::{Duration, Instant};
use terms::Fairness;

/// How questions are answered.
#[derive(Clone, Debug)]
pub struct Options {
    /// How formulas are checked.
    pub check: check::Options,
    /// The first budget of a question.
    pub first: Duration,
    /// Each budget is so many times the one before.
    pub growth: u32,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'q> {
    /// A question of a file, or a formula.
    Question(&'q Question),
    /// Whether a marking can be reached in which nothing can fire.
    Dead,
}

/// An answer.
#[derive(Debug)]
pub enum Answer {
    /// The verdict on a formula. That of [`Question::Some`] is the verdict on the formula that says no.
    Formula(Box<Outcome<NetVocabulary>>),
    /// A run that violates the formula was met at random. The judge has accepted it.
    Walked(Box<Counterexample<NetVocabulary>>, Duration),
    /// The state equation of the net says that the formula holds.
    Equation(Duration),
    /// The formula is `G condition`, and all markings satisfy the condition.
    Always(StatesStatistics),
    /// The most tokens.
    Bound(u64, StatesStatistics),
    /// Whether a dead marking can be reached: a run to one, which the judge has accepted.
    Dead(Option<Box<Run<NetVocabulary>>>, StatesStatistics),
    /// The net does something that it may not do.
    Fault(Fault),
    /// No answer within the limits.
    Stopped(StopReason),
}

/// What the judge has against a result.
pub type Rejected = Objection<NetVocabulary>;

/// The symmetries with which these questions are answered.
pub fn symmetry(net: &Net, asked: &[Ask<'_>], reduction: Reduction) -> Symmetry {
    let named = asked.iter().copied().filter_map(formula).flat_map(|formula| formula.named(net));
    match reduction {
        Reduction::Off => Symmetry::none(net),
        Reduction::Canonical | Reduction::Sorted => Symmetry::of(net, &named.collect::<Vec<_>>()),
    }
}

/// Answers questions. `tell` is called with the number and the answer of each, as soon as it is known.
pub fn answer(
    net: &Net,
    asked: &[Ask<'_>],
    options: &Options,
    watch: &Watch,
    tell: &mut dyn FnMut(usize, Answer),
) -> Result<(), Rejected> {
    let simplified = simplified(net, asked, options, watch);
    let simple = |at: usize| simplified[at].as_ref().or_else(|| formula(asked[at]));
    let figures = (0..asked.len()).map(|at| figure(asked[at], simple(at), options));
    let mut answers = Answers {
        net,
        asked,
        figures: figures.collect(),
        simplified: &simplified,
        limits: asked.iter().map(|&ask| limit(net, ask)).collect(),
        options,
        watch,
        symmetry: symmetry(net, asked, options.check.reduction),
        open: (0..asked.len()).collect(),
        random: SplitMix64::new(1),
        explores: true,
        tell,
    };
    answers.simple();
    let mut bounds = Bounds::of_initial(net);
    let mut budget = options.first;
    loop {
        match answers.rounds(&bounds, &mut budget)? {
            Some(raised) => bounds = raised.with_room(&bounds),
            None => return Ok(()),
        }
    }
}

fn formula(ask: Ask<'_>) -> Option<&Formula> {
    match ask {
        Ask::Question(Question::All(formula) | Question::Some(formula)) => Some(formula),
        Ask::Question(Question::Bound(_)) | Ask::Dead => None,
    }
}

/// The formulas without what the state equation decides, where that is simpler. A search by a method that
/// was chosen is one for the formula as it is.
fn simplified(
    net: &Net,
    asked: &[Ask<'_>],
    options: &Options,
    watch: &Watch,
) -> Vec<Option<Formula>> {
    let mut simplified = vec![None; asked.len()];
    if options.check.engine != Engine::Auto {
        return simplified;
    }
    // All together take no longer than a few questions have in the first round.
    let limited = limited(watch, options.first.saturating_mul(MOST_SERVED as u32));
    let _ = limited.over(|| {
        let Some(mut simplifier) = Simplifier::of(net) else { return };
        for (ask, simplified) in asked.iter().zip(&mut simplified) {
            *simplified = formula(*ask).and_then(|formula| simplifier.simplified(formula));
        }
    });
    simplified
}

/// What is to be seen in all markings for an answer, if that is enough.
fn figure(ask: Ask<'_>, simple: Option<&Formula>, options: &Options) -> Option<Figure> {
    match ask {
        Ask::Question(Question::Bound(places)) => Some(Figure::Sum(places.clone())),
        Ask::Question(Question::All(_) | Question::Some(_)) => {
            let is_plain = options.check.demand.fairness == Fairness::None;
            let invariant = simple?.invariant().filter(|_| is_plain)?;
            Some(Figure::Condition(invariant.negated()))
        }
        Ask::Dead => None,
    }
}

/// No marking has more tokens than this where they are asked for.
fn limit(net: &Net, ask: Ask<'_>) -> Option<u64> {
    match ask {
        Ask::Question(Question::Bound(places)) => equation::most(net, places),
        _ => None,
    }
}

struct Answers<'a, 'q> {
    net: &'a Net,
    asked: &'a [Ask<'q>],
    /// What is watched for each question, if it is one about all markings.
    figures: Vec<Option<Figure>>,
    /// Formulas that are true of the same runs.
    simplified: &'a [Option<Formula>],
    /// For questions about the most tokens: a number that they never exceed, if one is known.
    limits: Vec<Option<u64>>,
    options: &'a Options,
    watch: &'a Watch,
    symmetry: Symmetry,
    open: Vec<usize>,
    /// For walks.
    random: SplitMix64,
    /// Whether an exploration has met no limit but that of its time.
    explores: bool,
    tell: &'a mut dyn FnMut(usize, Answer),
}

/// The steps of a walk to many tokens.
const LONGEST_CLIMB: u32 = 10_000;

/// The steps of a walk whose runs are searched for one that violates a formula.
const LONGEST_WALK: usize = 2_000;

/// Of a walk, so many runs are read, the last ones first: a formula is evaluated on each as a whole.
const MOST_CYCLES: usize = 50;

/// A letter has room for so many atoms.
const MOST_ATOMS: usize = 64;

/// An exploration serves many questions: it gets the time of so many of them.
const MOST_SERVED: usize = 8;

impl Answers<'_, '_> {
    /// Rounds with these bounds, until nothing is open, or some bound was too small.
    fn rounds(
        &mut self,
        bounds: &Bounds,
        budget: &mut Duration,
    ) -> Result<Option<Bounds>, Rejected> {
        let mut system = PackedNet::new(self.net, self.symmetry.clone(), bounds.clone())
            .watching(self.figures.iter().flatten().cloned().map(Watched::new).collect());
        if self.options.check.reduction == Reduction::Canonical {
            system = system.with_few_steps();
        }
        self.climb(&system, *budget);
        if let Some(raised) = system.raised() {
            return Ok(Some(raised));
        }
        let mut quotient = Quotient::new(&system, self.options.check.reduction);
        loop {
            if *budget > self.options.first {
                // What is violated by most runs was found in the first round.
                self.walk(&system, *budget)?;
                if let Some(raised) = system.raised() {
                    return Ok(Some(raised));
                }
            }
            let explored = self.explored();
            let is_explored = self.explores && !explored.is_empty();
            if is_explored {
                let time = budget.saturating_mul(explored.len().min(MOST_SERVED) as u32);
                let limited = limited(&system.watch(self.watch), time);
                let stopped = self.explore(&system, &explored, &limited)?;
                if let Some(raised) = system.raised() {
                    return Ok(Some(raised));
                }
                // More time would help only if time was missing.
                let is_final = |reason| !matches!(reason, StopReason::Timeout(_));
                self.explores = !stopped.is_some_and(is_final);
                if !self.explores {
                    self.stop(stopped.expect("a reason"), |ask| formula(ask).is_none());
                }
            }
            let mut memory = None;
            for at in self.open.clone() {
                if formula(self.asked[at]).is_none() {
                    continue;
                }
                // A breadth-first search would see what the exploration has seen.
                let is_seen = self.watched(&system, at).is_none_or(|watched| watched.most() > 0);
                let engine = match self.options.check.engine {
                    Engine::Auto if is_explored && !is_seen => Engine::Components,
                    engine => engine,
                };
                let limited = limited(&system.watch(self.watch), *budget);
                let answer = self.formula(&quotient, &system, at, engine, &limited);
                if let Some(raised) = system.raised() {
                    // Nothing of this counts.
                    return Ok(Some(raised));
                }
                match Self::settled(answer?) {
                    Ok(answer) => self.answered(at, answer),
                    Err(reason) => {
                        if let StopReason::Memory(_) | StopReason::OutOfMemory = reason {
                            memory = Some(reason);
                            quotient = Quotient::new(&system, self.options.check.reduction);
                        }
                    }
                }
            }
            let over = self.watch.report(&run::Progress::default());
            if let Some(reason) = memory.or(over) {
                // More time would not help, or there is none.
                self.stop(reason, |_| true);
            }
            if self.open.is_empty() {
                return Ok(None);
            }
            *budget = budget.saturating_mul(self.options.growth);
        }
    }

    /// Answers formulas that the state equation decides.
    fn simple(&mut self) {
        let began = Instant::now();
        for at in self.open.clone() {
            if self.simplified[at].as_ref().is_some_and(|one| one.root == ltl::Formula::TRUE) {
                self.answered(at, Answer::Equation(began.elapsed()));
            }
        }
    }

    /// Answers what the most tokens are where a walk reaches as many as there can be.
    fn climb(&mut self, system: &PackedNet<'_>, budget: Duration) {
        let mut random = SplitMix64::new(1);
        for at in self.open.clone() {
            let (Some(watched), Some(limit)) = (self.watched(system, at), self.limits[at]) else {
                continue;
            };
            let Ask::Question(Question::Bound(places)) = self.asked[at] else { continue };
            let limited = limited(&system.watch(self.watch), budget);
            let mut steps = 0;
            system.climb(places, &mut random, &mut || {
                steps += 1;
                steps > LONGEST_CLIMB
                    || watched.most() == limit
                    || limited.report(&run::Progress::default()).is_some()
            });
            if system.raised().is_some() {
                return;
            }
            if watched.most() == limit {
                self.answered(at, Answer::Bound(limit, StatesStatistics::default()));
            }
        }
    }

    /// Searches random runs for such as violate open formulas: all formulas read the same runs. It is a
    /// search of its own that says nothing of what it does not find, so that fairness is not asked for.
    fn walk(&mut self, system: &PackedNet<'_>, budget: Duration) -> Result<(), Rejected> {
        let Options { check, .. } = self.options;
        if check.engine != Engine::Auto || check.demand.fairness != Fairness::None || !check.shows {
            return Ok(());
        }
        let limited = limited(&system.watch(self.watch), budget);
        let mut is_over = || limited.report(&run::Progress::default()).is_some();
        while !is_over() {
            let is_open = |&at: &usize| {
                formula(self.asked[at]).is_some_and(|one| one.atoms.len() <= MOST_ATOMS)
            };
            let open: Vec<usize> = self.open.iter().copied().filter(is_open).collect();
            if open.is_empty() {
                return Ok(());
            }
            let walk = system.walk(&mut self.random, LONGEST_WALK, &mut is_over);
            if system.raised().is_some() {
                return Ok(());
            }
            for at in open {
                let formula = formula(self.asked[at]).expect("it was filtered");
                let began = Instant::now();
                let atoms = system.formula_atoms(formula);
                let Some(Ok(letters)) = walk.letters(&*atoms, &mut is_over) else { continue };
                let cycles = walk.cycles().iter().copied();
                let violating = cycles.rev().take(MOST_CYCLES).find(|cycle| {
                    let (stem, cycle) = cycle.word(&letters);
                    let read = |part: &[u64]| part.iter().map(|&one| letter(one)).collect();
                    let word = Lasso::new(read(stem), read(cycle)).expect("a cycle has a step");
                    !word.satisfies(&formula.formulas, formula.root)
                });
                let Some(cycle) = violating else { continue };
                let judged = limited.over(|| {
                    let run = system.run_of(&walk, cycle);
                    judge(system.game(), formula, &[], &run).map(|()| run)
                });
                let Ok(run) = judged else { continue };
                let counterexample = Counterexample {
                    binding: Vec::new(),
                    run: run?,
                    renaming: None,
                    component: None,
                    argument: Argument::default(),
                };
                self.answered(at, Answer::Walked(Box::new(counterexample), began.elapsed()));
            }
        }
        Ok(())
    }

    /// The open questions that an exploration of all markings is worth while for: if it is only one
    /// formula, that is searched alone.
    fn explored(&self) -> Vec<usize> {
        let is_about_all =
            |&at: &usize| self.figures[at].is_some() || formula(self.asked[at]).is_none();
        let about_all: Vec<usize> = self.open.iter().copied().filter(is_about_all).collect();
        match about_all[..] {
            [one] if formula(self.asked[one]).is_some() => Vec::new(),
            _ => about_all,
        }
    }

    /// The figure of a question.
    fn watched<'s>(&self, system: &'s PackedNet<'_>, at: usize) -> Option<&'s Watched> {
        self.figures[at].as_ref()?;
        let before = self.figures[..at].iter().flatten().count();
        Some(&system.watched()[before])
    }

    fn answered(&mut self, at: usize, answer: Answer) {
        self.open.retain(|&one| one != at);
        (self.tell)(at, answer);
    }

    /// Ends open questions without an answer.
    fn stop(&mut self, reason: StopReason, which: impl Fn(Ask<'_>) -> bool) {
        for at in self.open.clone() {
            if which(self.asked[at]) {
                self.answered(at, Answer::Stopped(reason));
            }
        }
    }

    fn formula(
        &self,
        quotient: &Quotient<'_>,
        system: &PackedNet<'_>,
        at: usize,
        engine: Engine,
        watch: &Watch,
    ) -> Result<Outcome<NetVocabulary>, Rejected> {
        let asked = formula(self.asked[at]).expect("the caller has asked");
        let formula = self.simplified[at].as_ref().unwrap_or(asked);
        let mut options = check::Options { engine, ..self.options.check };
        // Where one step stands for several, a shorter cycle might owe something to the others.
        if options.reduction == Reduction::Canonical && options.demand.fairness != Fairness::None {
            options.shortening = Shortening::Off;
        }
        let mut outcomes = check_all_on(quotient, system, &[formula], &options, watch);
        let outcome = outcomes.pop().expect("one formula has one outcome");
        let outcome = outcome.map_err(|misjudged| misjudged.objection)?;
        // What was found is judged as a run that violates the formula that was asked about, too.
        if let (Verdict::Violated(found), Some(_)) = (&outcome.verdict, &self.simplified[at])
            && found.component.is_none()
        {
            let game = system.game();
            let judged = watch.over(|| match &found.renaming {
                None => judge(game, asked, &[], &found.run),
                Some(renaming) => {
                    judge_laps(game, asked, &[], &found.run, renaming, options.longest_cycle)
                        .map(drop)
                }
            });
            match judged {
                Ok(judged) => judged?,
                Err(reason) => {
                    let verdict = Verdict::Unknown(crate::Reason::Unjudged(reason));
                    return Ok(Outcome { verdict, ..outcome });
                }
            }
        }
        Ok(outcome)
    }

    /// The answer of an outcome, or the limit that was reached before.
    fn settled(outcome: Outcome<NetVocabulary>) -> Result<Answer, StopReason> {
        match &outcome.verdict {
            Verdict::Unknown(crate::Reason::Stopped(reason) | crate::Reason::Unjudged(reason)) => {
                let is_final = !matches!(
                    reason,
                    StopReason::Timeout(_) | StopReason::Memory(_) | StopReason::OutOfMemory
                );
                if is_final { Ok(Answer::Stopped(*reason)) } else { Err(*reason) }
            }
            _ => Ok(Answer::Formula(Box::new(outcome))),
        }
    }

    /// Explores all markings, and answers what is asked of all of them. Returns the reason if it has
    /// stopped before the end.
    fn explore(
        &mut self,
        system: &PackedNet<'_>,
        round: &[usize],
        watch: &Watch,
    ) -> Result<Option<StopReason>, Rejected> {
        let asks_dead = round.iter().any(|&at| matches!(self.asked[at], Ask::Dead));
        let options = explore::Options {
            deadlock: if asks_dead { Deadlock::Stuck } else { Deadlock::Off },
            symmetry: match self.options.check.reduction {
                Reduction::Off => States::Off,
                _ => States::Canonical,
            },
            threads: self.options.check.threads,
            most_states: self.options.check.most_states,
            ..explore::Options::default()
        };
        let asked = Asked { properties: Vec::new(), until_decided: asks_dead && round.len() == 1 };
        let (found, _) = explore_asked(system, &options, &asked, watch);
        if system.raised().is_some() {
            return Ok(None);
        }
        let fault = found.violations.iter().find_map(|one| match one.kind {
            explore::ViolationKind::Failure(fault) => Some(fault),
            _ => None,
        });
        if let Some(fault) = fault {
            for &at in round {
                self.answered(at, Answer::Fault(system.explain(fault)));
            }
            return Ok(None);
        }
        let orbits = found.quotient.and_then(|quotient| quotient.orbit_edges);
        let statistics = StatesStatistics {
            representatives: found.progress.states,
            edges: orbits.unwrap_or(found.progress.steps),
            time: found.time,
        };
        let mut dead = dead(system, &found, watch)?;
        let is_complete = found.stopped.is_none();
        for &at in round {
            let watched = self.watched(system, at);
            let answer = match self.asked[at] {
                Ask::Dead => match dead.take() {
                    Some(Ok(run)) => Some(Answer::Dead(Some(Box::new(run)), statistics)),
                    // There is one, but nothing was judged.
                    Some(Err(_)) => None,
                    None => is_complete.then_some(Answer::Dead(None, statistics)),
                },
                Ask::Question(Question::Bound(_)) => {
                    let limit = self.limits[at];
                    let is_most = |one: &&Watched| is_complete || Some(one.most()) == limit;
                    watched.filter(is_most).map(|one| Answer::Bound(one.most(), statistics))
                }
                // What is violated needs a run.
                Ask::Question(_) => {
                    let is_always = is_complete && watched.is_some_and(|one| one.most() == 0);
                    is_always.then_some(Answer::Always(statistics))
                }
            };
            if let Some(answer) = answer {
                self.answered(at, answer);
            }
        }
        Ok(found.stopped)
    }
}

/// A run to a dead marking, if one was found, which the judge accepts; or the limit that was reached
/// before.
fn dead(
    system: &PackedNet<'_>,
    found: &engine::explore::Exploration,
    watch: &Watch,
) -> Result<Option<Result<Run<NetVocabulary>, StopReason>>, Rejected> {
    let mut dead =
        found.violations.iter().filter(|one| one.kind == explore::ViolationKind::Deadlock);
    let Some(dead) = dead.next() else { return Ok(None) };
    let Some(path) = &dead.trace else {
        return Ok(Some(Err(dead.untraced.expect("there is a run, or a reason"))));
    };
    let claim = Claim::Deadlock(judge::Deadlock::Stuck);
    let judged = watch.over(|| {
        let run = explore::retrace(system, path);
        judge_claim(system.game(), &claim, &run).map(|_| run)
    });
    judged.map_or_else(|reason| Ok(Some(Err(reason))), |judged| judged.map(|run| Some(Ok(run))))
}

/// A letter of the engine as one of words.
fn letter(bits: u64) -> Letter {
    let mut letter = Letter::new();
    for atom in (0..MOST_ATOMS as u32).filter(|&atom| bits >> atom & 1 == 1) {
        letter.set(ltl::Atom(atom), true);
    }
    letter
}

/// A watch that also stops when some time has passed.
fn limited(watch: &Watch, time: Duration) -> Watch {
    let (began, watch) = (Instant::now(), watch.clone());
    Watch::new(move |now| {
        watch.report(now).or_else(|| (began.elapsed() >= time).then_some(StopReason::Timeout(time)))
    })
}

/// What an exploration of all markings counts.
#[derive(Debug)]
pub struct Counts {
    /// What was found, and the dead markings among it.
    pub found: Exploration<NetVocabulary>,
    /// The most tokens of one colour in a place.
    pub most_in_place: u64,
    /// The most tokens in a marking.
    pub most_in_marking: u64,
}

/// Explores all markings that can be reached, and counts them without symmetry.
pub fn count(net: &Net, options: &explore::Options, watch: &Watch) -> Result<Counts, StopReason> {
    let symmetry = match options.symmetry {
        States::Off => Symmetry::none(net),
        _ => Symmetry::of(net, &[]).of_initial(net),
    };
    let mut bounds = Bounds::of_initial(net);
    loop {
        let all: Vec<usize> = (0..net.places.len()).collect();
        let figures = [Figure::Single(all.clone()), Figure::Sum(all)];
        let watched = figures.map(Watched::new).into();
        let system = PackedNet::new(net, symmetry.clone(), bounds.clone()).watching(watched);
        let found = explore::explore(&system, options, &system.watch(watch));
        if let Some(raised) = system.raised() {
            if let Some(reason) = watch.report(&run::Progress::default()) {
                return Err(reason);
            }
            bounds = raised.with_room(&bounds);
            continue;
        }
        let [most_in_place, most_in_marking] = system.watched() else {
            unreachable!("there are two")
        };
        let (most_in_place, most_in_marking) = (most_in_place.most(), most_in_marking.most());
        return Ok(Counts { found, most_in_place, most_in_marking });
    }
}
