//! Answers to questions about a net, as soon as they are known.
//!
//! Time is shared: questions are asked in rounds, in each of which an open one gets more time than
//! before, so that a hard one does not starve the others. What a round has learned of the states stays:
//! all share one space. If some place needs more room than was thought, the space is begun again.

use crate::check::{self, check_all_on};
use crate::explore::{self, Exploration};
use crate::{Misjudged, Outcome, Verdict};
use engine::explore::{Asked, Deadlock, Symmetry as States, explore_asked};
use engine::quotient::Quotient;
use engine::symmetry::Reduction;
use nets::game::NetVocabulary;
use nets::{Bounds, Fault, Formula, Net, PackedNet, Question, Symmetry, Watched};
use run::{StopReason, Watch};
use std::time::{Duration, Instant};

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
    /// The most tokens.
    Bound(u64),
    /// Whether a dead marking can be reached.
    Dead(bool),
    /// The net does something that it may not do.
    Fault(Fault),
    /// No answer within the limits.
    Stopped(StopReason),
}

/// A result that the judge rejects.
pub type Rejected = Box<Misjudged<NetVocabulary>>;

/// Answers questions. `tell` is called with the number and the answer of each, as soon as it is known.
pub fn answer(
    net: &Net,
    asked: &[Ask<'_>],
    options: &Options,
    watch: &Watch,
    tell: &mut dyn FnMut(usize, Answer),
) -> Result<(), Rejected> {
    let named = asked.iter().copied().filter_map(formula).flat_map(|formula| formula.named(net));
    let symmetry = match options.check.reduction {
        Reduction::Off => Symmetry::none(net),
        Reduction::Canonical | Reduction::Sorted => Symmetry::of(net, &named.collect::<Vec<_>>()),
    };
    let mut answers =
        Answers { net, asked, options, watch, symmetry, open: (0..asked.len()).collect(), tell };
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

struct Answers<'a, 'q> {
    net: &'a Net,
    asked: &'a [Ask<'q>],
    options: &'a Options,
    watch: &'a Watch,
    symmetry: Symmetry,
    open: Vec<usize>,
    tell: &'a mut dyn FnMut(usize, Answer),
}

impl Answers<'_, '_> {
    /// Rounds with these bounds, until nothing is open, or some bound was too small.
    fn rounds(
        &mut self,
        bounds: &Bounds,
        budget: &mut Duration,
    ) -> Result<Option<Bounds>, Rejected> {
        let watched = self.asked.iter().filter_map(|ask| match ask {
            Ask::Question(Question::Bound(places)) => Some(Watched::sum(places.clone())),
            _ => None,
        });
        let mut system = PackedNet::new(self.net, self.symmetry.clone(), bounds.clone())
            .watching(watched.collect());
        if self.options.check.reduction == Reduction::Canonical {
            system = system.with_few_steps();
        }
        let mut quotient = Quotient::new(&system, self.options.check.reduction);
        loop {
            let mut memory = None;
            let round = std::mem::take(&mut self.open);
            let mut left = Vec::new();
            let is_exploring = round.iter().any(|&at| formula(self.asked[at]).is_none());
            for &at in round.iter().filter(|&&at| formula(self.asked[at]).is_some()) {
                let limited = limited(&system.watch(self.watch), *budget);
                let answer = self.formula(&quotient, &system, at, &limited);
                if let Some(raised) = system.raised() {
                    // Nothing of this counts. What all markings answer was not asked yet.
                    let is_open = |&one: &usize| {
                        one >= at || left.contains(&one) || formula(self.asked[one]).is_none()
                    };
                    self.open = round.into_iter().filter(is_open).collect();
                    return Ok(Some(raised));
                }
                match Self::settled(answer?) {
                    Ok(answer) => (self.tell)(at, answer),
                    Err(reason) => {
                        left.push(at);
                        if let StopReason::Memory(_) | StopReason::OutOfMemory = reason {
                            memory = Some(reason);
                            quotient = Quotient::new(&system, self.options.check.reduction);
                        }
                    }
                }
            }
            self.open = left;
            if is_exploring {
                let round: Vec<usize> =
                    round.into_iter().filter(|&at| formula(self.asked[at]).is_none()).collect();
                let stopped =
                    self.explore(&system, &round, &limited(&system.watch(self.watch), *budget));
                if let Some(raised) = system.raised() {
                    self.open.extend(round);
                    self.open.sort_unstable();
                    return Ok(Some(raised));
                }
                if let Some((open, reason)) = stopped {
                    self.open.extend(open);
                    if let StopReason::Memory(_) | StopReason::OutOfMemory = reason {
                        memory = Some(reason);
                    }
                }
            }
            let over = self.watch.report(&run::Progress::default());
            if let Some(reason) = memory.or(over) {
                // More time would not help, or there is none.
                for at in std::mem::take(&mut self.open) {
                    (self.tell)(at, Answer::Stopped(reason));
                }
            }
            if self.open.is_empty() {
                return Ok(None);
            }
            *budget = budget.saturating_mul(self.options.growth);
        }
    }

    fn formula(
        &self,
        quotient: &Quotient<'_>,
        system: &PackedNet<'_>,
        at: usize,
        watch: &Watch,
    ) -> Result<Outcome<NetVocabulary>, Rejected> {
        let formula = formula(self.asked[at]).expect("the caller has asked");
        let mut outcomes = check_all_on(quotient, system, &[formula], &self.options.check, watch);
        outcomes.pop().expect("one formula has one outcome")
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

    /// Explores all markings, and answers what is asked of all of them; what stays open otherwise.
    fn explore(
        &mut self,
        system: &PackedNet<'_>,
        round: &[usize],
        watch: &Watch,
    ) -> Option<(Vec<usize>, StopReason)> {
        let bounds = |at: usize| matches!(self.asked[at], Ask::Question(Question::Bound(_)));
        let asks_dead = round.iter().any(|&at| !bounds(at));
        let asks_bounds = round.iter().any(|&at| bounds(at));
        let options = explore::Options {
            deadlock: if asks_dead { Deadlock::Stuck } else { Deadlock::Off },
            symmetry: match self.options.check.reduction {
                Reduction::Off => States::Off,
                _ => States::Canonical,
            },
            threads: self.options.check.threads,
            ..explore::Options::default()
        };
        let asked = Asked { properties: Vec::new(), until_decided: !asks_bounds };
        let (found, _) = explore_asked(system, &options, &asked, watch);
        if system.raised().is_some() {
            return None;
        }
        let fault = found.violations.iter().find_map(|one| match one.kind {
            explore::ViolationKind::Failure(fault) => Some(fault),
            _ => None,
        });
        if let Some(fault) = fault {
            for &at in round {
                (self.tell)(at, Answer::Fault(system.explain(fault)));
            }
            return None;
        }
        let is_dead =
            found.violations.iter().any(|one| matches!(one.kind, explore::ViolationKind::Deadlock));
        let mut open = Vec::new();
        let mut watched = system.watched().iter();
        for at in 0..self.asked.len() {
            let of = bounds_of(self.asked[at]).then(|| watched.next().expect("one for each"));
            if !round.contains(&at) {
                continue;
            }
            let answer = match of {
                Some(watched) if found.stopped.is_none() => Some(Answer::Bound(watched.most())),
                None if is_dead || found.stopped.is_none() => Some(Answer::Dead(is_dead)),
                _ => None,
            };
            match answer {
                Some(answer) => (self.tell)(at, answer),
                None => open.push(at),
            }
        }
        found.stopped.map(|reason| (open, reason))
    }
}

fn bounds_of(ask: Ask<'_>) -> bool {
    matches!(ask, Ask::Question(Question::Bound(_)))
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
pub fn count(net: &Net, options: &explore::Options, watch: &Watch) -> Counts {
    let symmetry = match options.symmetry {
        States::Off => Symmetry::none(net),
        _ => Symmetry::of(net, &[]).of_initial(net),
    };
    let mut bounds = Bounds::of_initial(net);
    loop {
        let all: Vec<usize> = (0..net.places.len()).collect();
        let watched = vec![Watched::single(all.clone()), Watched::sum(all)];
        let system = PackedNet::new(net, symmetry.clone(), bounds.clone()).watching(watched);
        let found = explore::explore(&system, options, &system.watch(watch));
        if let Some(raised) = system.raised() {
            bounds = raised.with_room(&bounds);
            if watch.report(&run::Progress::default()).is_none() {
                continue;
            }
        }
        let [most_in_place, most_in_marking] = system.watched() else {
            unreachable!("there are two")
        };
        let (most_in_place, most_in_marking) = (most_in_place.most(), most_in_marking.most());
        return Counts { found, most_in_place, most_in_marking };
    }
}
