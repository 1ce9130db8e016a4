//! Several formulas and all their tuples, over one quotient.

use super::question::has_assumptions;
use super::{
    Answer, CheckStatistics, Engine, Judged, MANY_THREADS, Method, Options, Outcome, Progress,
    Question, Reason, Reduced, Verdict, Warning, Watch, demanded,
};
use crate::frontend::{FormulaOf, FrontEnd, Variant, VocabularyOf};
use engine::explore::Compression;
use engine::instances::{Instance, Instances};
use engine::product::Touched;
use engine::product::safety::{Held, MOST_FORMULAS, hold_together};
use engine::quotient::{PlainWalker, Quotient};
use hashbrown::HashMap;
use judge::Vocabulary;
use run::{Limits, StopReason, Ticker, stoppable};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// So many threads can share a space with a single lock.
const FEW_THREADS: usize = 2;

/// One outcome per formula; a misjudged one is a bug of this checker.
type Outcomes<F> = Vec<Judged<Outcome<VocabularyOf<F>>, VocabularyOf<F>>>;

/// Checks formulas on all runs that are fair as demanded. The outcomes are in the order of the
/// formulas, and each is the one of a check of its formula alone.
pub fn check_all<F: FrontEnd>(
    system: &F,
    formulas: &[&FormulaOf<F>],
    options: &Options,
    watch: &Watch,
) -> Outcomes<F> {
    check_all_on(&empty_quotient(system, options), system, formulas, options, watch)
}

/// An empty quotient of a system for checks of formulas with these options.
pub fn empty_quotient<'s, F: FrontEnd>(system: &'s F, options: &Options) -> Quotient<'s> {
    let few = if options.engine == Engine::Sets { 1 } else { FEW_THREADS };
    if options.threads > few {
        Quotient::sharded(system, options.reduction, Compression::None)
    } else {
        Quotient::new(system, options.reduction)
    }
}

/// Whether the searches for a formula have expanded all reachable states. The quotient is the one that
/// they have used: it contains all targets of states that were expanded, for this formula or another.
pub fn expanded_all<V: Vocabulary>(quotient: &Quotient<'_>, outcome: &Outcome<V>) -> bool {
    let Outcome { verdict, statistics, .. } = outcome;
    matches!(verdict, Verdict::Holds)
        && statistics.representatives > 0
        && statistics.representatives == quotient.representatives() as u64
}

/// [`check_all`] on a state space that other checks of the same system may have filled, in part or
/// as a whole. It must be reduced as the options say.
pub fn check_all_on<F: FrontEnd>(
    quotient: &Quotient<'_>,
    system: &F,
    formulas: &[&FormulaOf<F>],
    options: &Options,
    watch: &Watch,
) -> Outcomes<F> {
    let checked = watch.over(|| {
        let mut outcomes = check_on(quotient, system, formulas, options, Purpose::Answer, watch);
        if options.finds_vacuity {
            // Without time for that, the verdicts are known all the same.
            let _ = stoppable(|| {
                add_vacuity(quotient, system, formulas, options, watch, &mut outcomes);
            });
        }
        outcomes
    });
    checked.unwrap_or_else(|reason| {
        let unknown = || Ok(Outcome::without_search(Reason::Stopped(reason)));
        formulas.iter().map(|_| unknown()).collect()
    })
}

/// The variants of a formula.
type Variants<F> = Vec<Variant<FormulaOf<F>>>;

/// Searches for implications that formulas do not need to hold. The cost of that is not counted.
fn add_vacuity<F: FrontEnd>(
    quotient: &Quotient<'_>,
    system: &F,
    formulas: &[&FormulaOf<F>],
    options: &Options,
    watch: &Watch,
    outcomes: &mut Outcomes<F>,
) {
    // Most variants are violated, and a search on the fly finds that without the whole product.
    let engine = if options.engine == Engine::Sets { Engine::Auto } else { options.engine };
    // Only the verdict matters.
    let options = &Options { shows: false, engine, ..*options };
    let mut open: Vec<(&mut Vec<Warning>, Variants<F>)> = Vec::new();
    for (formula, outcome) in formulas.iter().zip(outcomes) {
        let Ok(Outcome { verdict: Verdict::Holds, warnings, .. }) = outcome else { continue };
        if warnings.iter().any(|one| *one != Warning::SingleProcess) {
            continue;
        }
        // A formula that every run violates.
        let nothing = system.unsatisfiable(formula);
        let has_none = |options: &Options| {
            let found =
                check_on(quotient, system, &[&nothing], options, Purpose::Vacuity, watch).pop();
            matches!(found, Some(Ok(Outcome { verdict: Verdict::Holds, .. })))
        };
        let is_cut = has_assumptions(system);
        if is_cut && has_none(&Options { ignores_fairness: true, ..*options }) {
            warnings.push(Warning::NoRun);
            continue;
        }
        // Only declared fairness can be impossible.
        if demanded(system, formula, options).declared && has_none(options) {
            warnings.push(Warning::NoFairRun);
            continue;
        }
        open.push((warnings, system.variants(formula)));
    }
    let all = open.iter().flat_map(|(_, variants)| variants);
    let changed: Vec<&FormulaOf<F>> = all.map(|one| &one.formula).collect();
    if changed.is_empty() {
        return;
    }
    let mut found =
        check_on(quotient, system, &changed, options, Purpose::Vacuity, watch).into_iter();
    for (warnings, variants) in open {
        let mut vacuous: Vec<bool> = Vec::new();
        for (variant, found) in variants.into_iter().zip(found.by_ref()) {
            let holds = matches!(found, Ok(Outcome { verdict: Verdict::Holds, .. }));
            if holds && !variant.around.is_some_and(|around| vacuous[around]) {
                warnings.push(Warning::Vacuous(variant.antecedent));
            }
            vacuous.push(holds);
        }
    }
}

/// The purpose of a check.
#[derive(Clone, Copy)]
enum Purpose {
    /// The verdict was requested.
    Answer,
    /// It decides whether other formulas hold vacuously.
    Vacuity,
}

impl Purpose {
    /// The span of a thread's work.
    fn span(self) -> tracing::Span {
        match self {
            Purpose::Answer => tracing::debug_span!("check.answer", instances = 0),
            Purpose::Vacuity => tracing::debug_span!("check.vacuity", instances = 0),
        }
    }
}

fn check_on<F: FrontEnd>(
    quotient: &Quotient<'_>,
    system: &F,
    formulas: &[&FormulaOf<F>],
    options: &Options,
    purpose: Purpose,
    watch: &Watch,
) -> Outcomes<F> {
    let count = formulas.len() as u64;
    let translating = |now: &Progress| watch.report(&Progress { formulas: count, ..*now });
    let limits = Limits { watch: Some(&translating), ..Limits::default() };
    let prepared = formulas.iter().map(|formula| {
        stoppable(|| Question::new(system, formula, options, limits))
            .unwrap_or_else(|reason| Err(Reason::Stopped(reason)))
    });
    let questions: Vec<Result<Question<'_, F>, Reason>> = prepared.collect();
    let prepared = stoppable(|| held_together(quotient, &questions, options, watch));
    let is_alone = options.engine == Engine::Auto
        && options.threads >= MANY_THREADS
        && is_single_search(&questions, quotient);
    let check = Check {
        watch,
        purpose,
        quotient,
        // If there was no time for them, there is none for searches of their own.
        prepared: Mutex::new(prepared.unwrap_or_default()),
        boards: questions.iter().map(|_| QuestionBoard::default()).collect(),
        queue: Mutex::new(Queue { question: 0, number: 0, instances: None }),
        answered: AtomicU64::new(0),
        nodes: AtomicU64::new(0),
        edges: AtomicU64::new(0),
        stopped: OnceLock::new(),
        questions: &questions,
        is_alone,
    };
    // An elimination has a team of its own.
    if options.threads <= 1 || options.engine == Engine::Sets || is_alone {
        check.work();
    } else {
        std::thread::scope(|scope| {
            let start = |_| {
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, || check.work()).ok()
            };
            let started = (0..options.threads).map_while(start).count();
            if started < options.threads {
                run::threads::refused(options.threads, started.max(1));
            }
            if started == 0 {
                check.work();
            }
        });
    }
    check.conclude()
}

/// Whether there is one tuple of one formula to be searched for an accepting component.
fn is_single_search<F: FrontEnd>(
    questions: &[Result<Question<'_, F>, Reason>],
    quotient: &Quotient<'_>,
) -> bool {
    let [Ok(question)] = questions else { return false };
    let mut instances = question.instances(quotient.structure().indices());
    question.method() == Method::Components
        && question.may_be_eliminated()
        && instances.next().is_some()
        && instances.next().is_none()
}

/// The size of a stack in bytes: the interpreter, which is called when a search fails, traverses
/// trees by recursion.
const STACK: usize = 64 << 20;

/// The state that the threads share.
struct Check<'c, F: FrontEnd> {
    watch: &'c Watch,
    purpose: Purpose,
    questions: &'c [Result<Question<'c, F>, Reason>],
    quotient: &'c Quotient<'c>,
    /// Whether there is one search only, and many threads for it.
    is_alone: bool,
    /// By question: its answers so far.
    boards: Vec<QuestionBoard<VocabularyOf<F>>>,
    queue: Mutex<Queue<'c>>,
    /// By question and number of a tuple: answers that are known before the search.
    prepared: Mutex<Prepared<VocabularyOf<F>>>,
    answered: AtomicU64,
    /// The nodes and edges of searches that have ended.
    nodes: AtomicU64,
    edges: AtomicU64,
    /// Why no further search is to begin.
    stopped: OnceLock<StopReason>,
}

/// Answers by question and number of a tuple.
type Prepared<V> = HashMap<(usize, usize), Answer<V>>;

/// Finds safety formulas that hold, in one pass over the states for several of them. It pays where
/// the steps out of a state are computed anew for each formula.
fn held_together<F: FrontEnd>(
    quotient: &Quotient<'_>,
    questions: &[Result<Question<'_, F>, Reason>],
    options: &Options,
    watch: &Watch,
) -> Prepared<VocabularyOf<F>> {
    let mut found = HashMap::new();
    // A limit of states is that of each formula by itself.
    if !quotient.is_plain() || options.most_states.is_some() {
        return found;
    }
    let indices = quotient.structure().indices();
    let mut all: Vec<((usize, usize), &Question<'_, F>, Instance)> = Vec::new();
    for (at, question) in questions.iter().enumerate() {
        let Ok(question) = question else { continue };
        // With steps omitted, each formula has a graph of its own.
        if question.method() == Method::Prefix && question.by_partial_order() != Reduced::Yes {
            // Of many tuples, the first ones are as good as any.
            let instances = question.instances(indices).take(MOST_FORMULAS).enumerate();
            all.extend(instances.map(|(number, instance)| ((at, number), question, instance)));
        }
    }
    for group in all.chunks(MOST_FORMULAS).filter(|group| group.len() > 1) {
        let began = Instant::now();
        let span = tracing::debug_span!("check.safety", formulas = group.len());
        let held = span.in_scope(|| {
            let made = group.iter().map(|(_, question, instance)| question.safety(instance));
            let mut formulas = made.collect::<Option<Vec<_>>>()?;
            let report = |now: &Progress| watch.report(now);
            let ticker = Ticker::new(&report);
            hold_together(&mut PlainWalker::new(quotient), &mut formulas, &ticker).ok()
        });
        let time = began.elapsed() / u32::try_from(group.len()).unwrap_or(u32::MAX);
        for ((number, question, _), held) in group.iter().zip(held.unwrap_or_default()) {
            let Some(Held { progress, touched }) = held else { continue };
            let statistics = CheckStatistics {
                instances: 1,
                automaton_states: question.automaton_states() as u64,
                product_nodes: progress.product_nodes,
                product_edges: progress.product_edges,
                time,
                ..CheckStatistics::default()
            };
            found.insert(
                *number,
                Answer { verdict: Verdict::Holds, method: Method::Prefix, statistics, touched },
            );
        }
    }
    found
}

/// The tuples that no thread has taken yet.
struct Queue<'c> {
    question: usize,
    /// The number of tuples of the question that were taken.
    number: usize,
    instances: Option<Instances<'c>>,
}

/// The answers to a question so far.
struct QuestionBoard<V: Vocabulary> {
    /// The first tuple that decides, plus one; 0 if none does so far.
    decided: AtomicUsize,
    answers: Mutex<Vec<Numbered<V>>>,
}

/// The number of a tuple, and the answer for it.
type Numbered<V> = (usize, Judged<Answer<V>, V>);

impl<V: Vocabulary> Default for QuestionBoard<V> {
    fn default() -> Self {
        QuestionBoard { decided: AtomicUsize::new(0), answers: Mutex::default() }
    }
}

impl<V: Vocabulary> QuestionBoard<V> {
    /// Whether the tuple of this number is not needed any more.
    fn is_past(&self, number: usize) -> bool {
        let decided = self.decided.load(Ordering::Relaxed);
        decided != 0 && decided <= number
    }

    /// Stores the answer for a tuple. If it leaves the question open, it counts only if the next
    /// one does, too: then the sets of touched representatives of both are kept as one, with the
    /// later of the two. So the memory does not grow with the number of tuples.
    fn put(&self, number: usize, answer: Judged<Answer<V>, V>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push((number, answer));
        for at in number.saturating_sub(1).. {
            let find = |wanted: usize| answers.iter().rposition(|(number, _)| *number == wanted);
            let (here, next) = (find(at), find(at + 1));
            let Some(next) = next else { return };
            if let Some(here) = here
                && let (_, Ok(here)) = &mut answers[here]
                && here.verdict.is_open()
            {
                let touched = std::mem::take(&mut here.touched);
                match &mut answers[next].1 {
                    Ok(next) => next.touched.extend(&touched),
                    // Then nothing is counted.
                    Err(_) => return,
                }
            } else if at >= number {
                return;
            }
        }
    }

    fn decide(&self, number: usize) {
        let decide = |now| (now == 0 || number + 1 < now).then_some(number + 1);
        // It is no error if a thread with an earlier tuple was first.
        let _ = self.decided.fetch_update(Ordering::Relaxed, Ordering::Relaxed, decide);
    }
}

impl<F: FrontEnd> Check<'_, F> {
    /// The progress of all threads, from that of one search.
    fn progress(&self, now: &Progress) -> Progress {
        Progress {
            formulas: self.questions.len() as u64,
            answered: self.answered.load(Ordering::Relaxed),
            representatives: self.quotient.representatives() as u64,
            product_nodes: self.nodes.load(Ordering::Relaxed) + now.product_nodes,
            product_edges: self.edges.load(Ordering::Relaxed) + now.product_edges,
            ..*now
        }
    }

    /// The next tuple of the next question that is not decided.
    fn take(&self) -> Option<(usize, usize, Instance)> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = &mut *queue;
        loop {
            let question = self.questions.get(queue.question)?;
            let Ok(question) = question else {
                queue.question += 1;
                continue;
            };
            let indices = self.quotient.structure().indices();
            let instances = queue.instances.get_or_insert_with(|| question.instances(indices));
            let is_past = self.boards[queue.question].is_past(queue.number);
            if let Some(instance) = instances.next().filter(|_| !is_past) {
                queue.number += 1;
                return Some((queue.question, queue.number - 1, instance));
            }
            *queue = Queue { question: queue.question + 1, number: 0, instances: None };
        }
    }

    fn work(&self) {
        if let Err(reason) = self.watch.over(|| self.answer_all()) {
            // Another thread may have set it before.
            let _ = self.stopped.set(reason);
        }
    }

    /// Answers one tuple after another. A stop in the enumeration of tuples ends all work.
    fn answer_all(&self) {
        let span = self.purpose.span().entered();
        let mut instances = 0_u64;
        while self.stopped.get().is_none()
            && let Some((at, number, instance)) = self.take()
        {
            let board = &self.boards[at];
            let question = self.questions[at].as_ref().expect("only questions are taken");
            let watch = |now: &Progress| {
                if board.is_past(number) {
                    // The answer for this tuple will not be used.
                    return Some(StopReason::Interrupted);
                }
                let progress = self.progress(now);
                let Progress { formulas, answered, representatives, .. } = progress;
                tracing::trace!(
                    target: "progress",
                    parent: &span, representatives, instances, formulas, answered
                );
                self.watch.report(&progress)
            };
            let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
            let prepared = { prepared }.remove(&(at, number));
            let answer = match prepared {
                Some(known) => Ok(known),
                None if self.is_alone => question.answer_together(self.quotient, &instance, &watch),
                None => question.answer(self.quotient, &instance, &watch),
            };
            instances += 1;
            span.record("instances", instances);
            if board.is_past(number) {
                continue;
            }
            if let Ok(Answer { statistics, .. }) = &answer {
                self.nodes.fetch_add(statistics.product_nodes, Ordering::Relaxed);
                self.edges.fetch_add(statistics.product_edges, Ordering::Relaxed);
            }
            match &answer {
                Ok(Answer { verdict, .. }) if verdict.is_open() => {}
                // Another tuple may need fewer states.
                Ok(Answer {
                    verdict: Verdict::Unknown(Reason::Stopped(StopReason::States(_))),
                    ..
                }) => {}
                Ok(Answer { verdict: Verdict::Unknown(Reason::Stopped(reason)), .. }) => {
                    // Another thread may have set it before.
                    let _ = self.stopped.set(*reason);
                }
                _ => {
                    board.decide(number);
                    self.answered.fetch_add(1, Ordering::Relaxed);
                }
            }
            board.put(number, answer);
        }
    }

    fn conclude(self) -> Outcomes<F> {
        let Check { questions, boards, queue, stopped, .. } = self;
        let queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcomes = questions.iter().zip(boards).enumerate().map(|(at, (question, board))| {
            let question = match question {
                Ok(question) => question,
                Err(reason) => return Ok(Outcome::without_search(reason.clone())),
            };
            let answers = board.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut outcome = summarise(question, answers)?;
            // The queue ends after the last question, unless the work was stopped.
            let is_left = at >= queue.question;
            let is_open = outcome.verdict.is_open();
            if let (true, true, Some(&reason)) = (is_open, is_left, stopped.get()) {
                outcome.verdict = Verdict::Unknown(Reason::Stopped(reason));
                outcome.warnings.clear();
            } else if outcome.statistics.instances == 0 {
                outcome.warnings.push(Warning::NoInstance);
            }
            Ok(outcome)
        });
        outcomes.collect()
    }
}

impl<V: Vocabulary> Verdict<V> {
    /// Whether the verdict on some tuples leaves the question open, so that other tuples must be
    /// checked.
    fn is_open(&self) -> bool {
        matches!(self, Verdict::Holds | Verdict::Unknown(Reason::NotExhaustive(_)))
    }
}

impl<V: Vocabulary> Outcome<V> {
    /// The outcome of a formula that was not searched.
    fn without_search(reason: Reason) -> Self {
        Outcome {
            verdict: Verdict::Unknown(reason),
            method: Method::Components,
            statistics: CheckStatistics::default(),
            warnings: Vec::new(),
        }
    }
}

/// Combines the answers up to the deciding one into one outcome.
fn summarise<F: FrontEnd>(
    question: &Question<'_, F>,
    mut answers: Vec<Numbered<VocabularyOf<F>>>,
) -> Judged<Outcome<VocabularyOf<F>>, VocabularyOf<F>> {
    answers.sort_by_key(|(number, _)| *number);
    let mut touched = Touched::new();
    let mut outcome = Outcome {
        verdict: Verdict::Holds,
        method: question.method(),
        statistics: CheckStatistics {
            automaton_states: question.automaton_states() as u64,
            by_partial_order: question.by_partial_order(),
            ..CheckStatistics::default()
        },
        warnings: Vec::new(),
    };
    for (_, answer) in answers {
        let Answer { verdict, method, statistics, touched: now } = answer?;
        outcome.method = method;
        touched.extend(&now);
        let all = &mut outcome.statistics;
        all.instances += statistics.instances;
        all.product_nodes += statistics.product_nodes;
        all.product_edges += statistics.product_edges;
        all.components += statistics.components;
        all.time += statistics.time;
        // Neither an open verdict nor a stopped search decides: a later tuple may.
        let is_decided =
            !verdict.is_open() && !matches!(verdict, Verdict::Unknown(Reason::Stopped(_)));
        outcome.verdict = match (outcome.verdict, verdict) {
            (
                Verdict::Unknown(Reason::NotExhaustive(before)),
                Verdict::Unknown(Reason::NotExhaustive(now)),
            ) => Verdict::Unknown(Reason::NotExhaustive(before.and(now))),
            (before @ Verdict::Unknown(_), Verdict::Holds)
            | (
                before @ Verdict::Unknown(Reason::Stopped(_)),
                Verdict::Unknown(Reason::NotExhaustive(_)),
            ) => before,
            (_, now) => now,
        };
        if is_decided {
            break;
        }
    }
    // Each tuple needs no more states than are allowed, but all of them together do.
    if let (Verdict::Holds, Some(most)) = (&outcome.verdict, question.options.most_states)
        && touched.representatives() > most
    {
        let reason = StopReason::States(usize::try_from(most).unwrap_or(usize::MAX));
        outcome.verdict = Verdict::Unknown(Reason::Stopped(reason));
    }
    outcome.warnings.extend(question.has_single_process().then_some(Warning::SingleProcess));
    if matches!(outcome.verdict, Verdict::Holds) {
        outcome.warnings.extend(question.is_tautology().then_some(Warning::Tautology));
    }
    outcome.statistics.representatives = touched.representatives();
    outcome.statistics.edges = touched.edges();
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::quotient::Representative;
    use model::reference::ModelVocabulary;

    /// An answer that has touched one representative of its own, and one that all answers share.
    fn answer(number: usize, verdict: Verdict) -> Answer {
        let mut touched = Touched::new();
        touched.insert(Representative(0), 2);
        touched.insert(Representative(number as u32 + 1), 3);
        let statistics = CheckStatistics::default();
        Answer { verdict, method: Method::Components, statistics, touched }
    }

    /// In any order of arrival, the representatives counted in the end are those that the answers
    /// up to the deciding one have touched.
    #[test]
    fn what_is_touched_is_kept_once() {
        let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]];
        for decides in 0..=4 {
            for order in orders {
                let board: QuestionBoard<ModelVocabulary> = QuestionBoard::default();
                for number in order {
                    let verdict = if number == decides {
                        Verdict::Unknown(Reason::NotShown)
                    } else {
                        Verdict::Holds
                    };
                    board.put(number, Ok(answer(number, verdict)));
                }
                let mut answers = board.answers.into_inner().expect("nobody panics");
                answers.sort_by_key(|(number, _)| *number);
                let answers = || answers.iter().map(|(_, answer)| answer.as_ref().expect("one"));
                let mut touched = Touched::new();
                for answer in answers().take(decides + 1) {
                    touched.extend(&answer.touched);
                }
                let counted = (decides as u64 + 1).min(4);
                let found = (touched.representatives(), touched.edges());
                assert_eq!(found, (counted + 1, 3 * counted + 2), "{decides} {order:?}");
                let kept = answers().filter(|one| one.touched != Touched::new()).count();
                assert!(kept <= 2, "{kept} for {decides} {order:?}");
            }
        }
    }
}
