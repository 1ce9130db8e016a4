//! The record of a run: what is under way, and what it reported; each span is passed on when it closes.
//!
//! A span lasts from its first entry to its last exit. Its *own* time is that without the time of
//! its children, which are of the same thread and close before their parents. A span is *under way* while it
//! is entered.
//!
//! Fields of a span are its counts. Work that lasts tells them now and then by an event of the target
//! `progress`, whose fields become those of its span: so they are there while it is under way, and also if it is
//! stopped.

use super::super::budget::resident_memory;
use super::super::progress::ProgressLine;
use super::phases::Phases;
use super::profile::Profile;
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tracing::field::{Field, Visit};
use tracing::span::{self, Attributes, Id};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// A span that has closed.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Span {
    /// Unique in the run, from 1, in the order in which spans were opened.
    pub(super) id: u64,
    /// The span inside which it was opened.
    pub(super) parent: Option<u64>,
    /// `automaton.translate`
    pub(super) name: &'static str,
    /// The module that opened it.
    pub(super) target: &'static str,
    /// The names of the spans from the outermost to this one, with `;` between them.
    pub(super) path: String,
    /// The thread that opened it, from 1.
    pub(super) thread: u64,
    /// Since the recording began.
    pub(super) start: Duration,
    /// From first entry to last exit.
    pub(super) duration: Duration,
    /// The duration without the children's.
    pub(super) own: Duration,
    /// The counts.
    pub(super) fields: Map<String, Value>,
}

impl Span {
    /// Whether it lies inside a span of the same name: then its time is part of that of the outer one.
    pub(super) fn is_repeated(&self) -> bool {
        self.path.split(';').rev().skip(1).any(|outer| outer == self.name)
    }
}

/// A span that is open.
struct Open {
    span: Span,
    /// Since the recording began.
    entered: Option<Duration>,
    left: Option<Duration>,
    /// How often it is entered now.
    entries: u32,
    children: Duration,
    /// What was reported so far, in the order of the first reports.
    told: Vec<(&'static str, u64)>,
}

impl Open {
    /// The span as if it closed now.
    fn closed(&self, now: Duration) -> Span {
        let mut span = self.span.clone();
        if let Some(entered) = self.entered {
            let left = if self.entries > 0 { now } else { self.left.unwrap_or(now) };
            span.start = entered;
            span.duration = left.saturating_sub(entered);
        }
        span.own = span.duration.saturating_sub(self.children);
        span
    }
}

/// What is under way, by the name of its spans.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct UnderWay {
    /// `product.search`
    pub(crate) name: &'static str,
    /// How many spans of this name there are: threads may do the same.
    pub(crate) spans: usize,
    /// Since the first of them was entered.
    pub(crate) time: Duration,
    /// What they have reported: sums, or the largest value where a sum makes no sense.
    pub(crate) told: Vec<(&'static str, u64)>,
}

/// All that is known of a run.
pub(super) struct Record {
    began: Instant,
    opened: u64,
    /// By the number that `tracing` has given.
    open: BTreeMap<u64, Open>,
    phases: Phases,
    profile: Option<Profile>,
}

impl Record {
    /// Begins to record.
    pub(super) fn new(profile: Option<Profile>) -> Self {
        let (open, phases) = (BTreeMap::new(), Phases::default());
        Record { began: Instant::now(), opened: 0, open, phases, profile }
    }

    /// How long it has been recording.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The phases so far; a span that is open counts as if it closed now.
    pub(super) fn phases(&self) -> Phases {
        let mut phases = self.phases.clone();
        self.closed_now().iter().for_each(|span| phases.add(span));
        phases
    }

    /// What is under way, what was begun last first.
    pub(super) fn under_way(&self) -> Vec<UnderWay> {
        let now = self.elapsed();
        let mut open: Vec<&Open> = self.open.values().filter(|open| open.entries > 0).collect();
        open.sort_by_key(|open| Reverse(open.span.id));
        let mut found: Vec<UnderWay> = Vec::new();
        for Open { span, entered, told, .. } in open {
            let time = entered.map_or(Duration::ZERO, |entered| now.saturating_sub(entered));
            if let Some(same) = found.iter_mut().find(|one| one.name == span.name) {
                same.join(time, told);
            } else {
                let told = told.clone();
                found.push(UnderWay { name: span.name, spans: 1, time, told });
            }
        }
        found
    }

    /// Records what the current phases have reported, and how much memory is used.
    pub(super) fn sample(&mut self) {
        let (now, under_way) = (self.elapsed(), self.under_way());
        let Some(profile) = self.profile.as_mut().filter(|one| one.is_sampled()) else { return };
        for phase in &under_way {
            profile.phase(now, phase);
        }
        if let Some(bytes) = resident_memory() {
            profile.sample(now, "memory", "resident bytes", bytes);
        }
    }

    /// Records what the phase of a span that is about to end has reported.
    fn sample_last(&mut self, id: u64) {
        if !self.profile.as_ref().is_some_and(Profile::is_sampled) {
            return;
        }
        let name = self.open.get(&id).map(|open| open.span.name);
        let (now, under_way) = (self.elapsed(), self.under_way());
        let phase = under_way.iter().find(|phase| Some(phase.name) == name);
        if let (Some(phase), Some(profile)) = (phase, &mut self.profile) {
            profile.phase(now, phase);
        }
    }

    /// Ends the recording: what is open closes now, and the profile is completed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.sample();
        let open = self.closed_now();
        self.open.clear();
        for span in &open {
            self.note(span);
        }
        self.profile.take().map_or(Ok(()), Profile::finish)
    }

    fn open(&mut self, metadata: &'static Metadata<'static>, parent: Option<u64>) -> Open {
        self.opened += 1;
        let parent = parent.and_then(|parent| self.open.get(&parent)).map(|open| &open.span);
        let outer = parent.map_or_else(String::new, |parent| format!("{};", parent.path));
        let span = Span {
            id: self.opened,
            parent: parent.map(|parent| parent.id),
            name: metadata.name(),
            target: metadata.target(),
            path: outer + metadata.name(),
            thread: thread_number(),
            start: self.elapsed(),
            duration: Duration::ZERO,
            own: Duration::ZERO,
            fields: Map::new(),
        };
        let (entered, left, children, told) = (None, None, Duration::ZERO, Vec::new());
        Open { span, entered, left, entries: 0, children, told }
    }

    fn close(&mut self, id: u64) {
        let Some(open) = self.open.remove(&id) else { return };
        let span = open.closed(self.elapsed());
        if let Some(id) = span.parent
            && let Some(parent) = self.open.values_mut().find(|open| open.span.id == id)
        {
            parent.children += span.duration;
        }
        self.note(&span);
    }

    fn note(&mut self, span: &Span) {
        self.phases.add(span);
        if let Some(profile) = &mut self.profile {
            profile.span(span);
        }
    }

    /// All spans that are open as if they closed now, inner ones first.
    fn closed_now(&self) -> Vec<Span> {
        let now = self.elapsed();
        let mut spans: Vec<_> = self.open.values().map(|open| open.closed(now)).collect();
        spans.sort_by_key(|span| Reverse(span.id));
        for k in 0..spans.len() {
            let (parent, duration) = (spans[k].parent, spans[k].duration);
            if let Some(parent) = spans.iter_mut().find(|one| Some(one.id) == parent) {
                parent.own = parent.own.saturating_sub(duration);
            }
        }
        spans
    }
}

/// Fields about something that threads share, or about one path.
const NO_SUMS: [&str; 4] = ["answered", "depth", "formulas", "representatives"];

impl UnderWay {
    fn join(&mut self, time: Duration, told: &[(&'static str, u64)]) {
        self.spans += 1;
        self.time = self.time.max(time);
        for &(name, count) in told {
            match self.told.iter_mut().find(|(one, _)| *one == name) {
                Some((_, most)) if NO_SUMS.contains(&name) => *most = count.max(*most),
                Some((_, sum)) => *sum += count,
                None => self.told.push((name, count)),
            }
        }
    }
}

/// The layer that keeps a record.
pub(super) struct Recorder {
    record: Arc<Mutex<Record>>,
    /// Shows every change at once, in place of a ticker that looks now and then.
    follower: Option<Mutex<ProgressLine>>,
}

impl Recorder {
    /// Keeps this record, and shows every change by the line, if there is one.
    pub(super) fn new(record: &Arc<Mutex<Record>>, follower: Option<ProgressLine>) -> Self {
        Recorder { record: Arc::clone(record), follower: follower.map(Mutex::new) }
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        lock(&self.record)
    }

    /// Shows what is under way after a change.
    fn follow(&self) {
        let Some(line) = &self.follower else { return };
        let (time, under_way) = {
            let record = self.lock();
            (record.elapsed(), record.under_way())
        };
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        line.show(time, resident_memory(), &under_way);
    }
}

/// The record; a panic of ours is no reason not to write it down.
pub(super) fn lock(record: &Mutex<Record>) -> MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the recorder listens to.
pub(super) fn is_recorded(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() || metadata.target() == "progress"
}

impl<S> Layer<S> for Recorder
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let parent = context.span(id).and_then(|span| Some(span.parent()?.id().into_u64()));
        let mut record = self.lock();
        let mut open = record.open(attributes.metadata(), parent);
        attributes.record(&mut Fields(&mut open.span.fields));
        record.open.insert(id.into_u64(), open);
    }

    fn on_record(&self, id: &Id, values: &span::Record<'_>, _: Context<'_, S>) {
        if let Some(open) = self.lock().open.get_mut(&id.into_u64()) {
            values.record(&mut Fields(&mut open.span.fields));
            values.record(&mut Told(&mut open.told));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(span) = context.event_span(event) else { return };
        if let Some(open) = self.lock().open.get_mut(&span.id().into_u64()) {
            event.record(&mut Fields(&mut open.span.fields));
            event.record(&mut Told(&mut open.told));
        }
        self.follow();
    }

    fn on_enter(&self, id: &Id, _: Context<'_, S>) {
        let mut record = self.lock();
        let now = record.elapsed();
        if let Some(open) = record.open.get_mut(&id.into_u64()) {
            open.entered.get_or_insert(now);
            open.entries += 1;
        }
        drop(record);
        self.follow();
    }

    fn on_exit(&self, id: &Id, _: Context<'_, S>) {
        let mut record = self.lock();
        let now = record.elapsed();
        record.sample_last(id.into_u64());
        if let Some(open) = record.open.get_mut(&id.into_u64()) {
            open.left = Some(now);
            open.entries -= 1;
        }
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.lock().close(id.into_u64());
    }
}

/// Small numbers for threads, in the order in which they open their first span.
fn thread_number() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NUMBER: u64 = THREADS.fetch_add(1, Ordering::Relaxed) + 1;
    }
    NUMBER.with(|&number| number)
}

/// Fields as JSON: numbers and booleans as such, all else as text.
struct Fields<'f>(&'f mut Map<String, Value>);

impl Visit for Fields<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }
}

/// Counts: fields that are natural numbers.
struct Told<'t>(&'t mut Vec<(&'static str, u64)>);

impl Visit for Told<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match self.0.iter_mut().find(|(name, _)| *name == field.name()) {
            Some((_, count)) => *count = value,
            None => self.0.push((field.name(), value)),
        }
    }
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// Spans for the tests of this module and of the formats.
#[cfg(test)]
pub(super) mod tests {
    use super::super::profile::Sink;
    use super::*;
    use tracing::field::Empty;
    use tracing::{debug_span, trace};
    use tracing_subscriber::layer::SubscriberExt as _;

    /// Keeps spans.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<Span>>>);

    impl Sink for Kept {
        fn span(&mut self, span: &Span) -> io::Result<()> {
            self.0.lock().expect("no panic").push(span.clone());
            Ok(())
        }
        fn finish(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Records what is done, and returns all spans in the order in which they close.
    fn recorded(act: impl FnOnce(&Mutex<Record>)) -> Vec<Span> {
        let kept = Kept::default();
        let profile = Profile::new(Box::new(kept.clone()));
        let record = Arc::new(Mutex::new(Record::new(Some(profile))));
        let recorder = Recorder::new(&record, None);
        let subscriber = tracing_subscriber::registry().with(recorder);
        tracing::subscriber::with_default(subscriber, || act(&record));
        lock(&record).finish().expect("nothing fails");
        let spans = kept.0.lock().expect("no panic");
        spans.clone()
    }

    /// A run of two formulas: `translate` twice, the first with a `reduce` inside.
    pub(in super::super) fn example() -> Vec<Span> {
        recorded(|_| {
            let outer = debug_span!("translate", formula = "G \"a\"\n", states = 0).entered();
            {
                let inner = tracing::info_span!("reduce", states = Empty).entered();
                std::thread::sleep(Duration::from_millis(2));
                inner.record("states", 3);
            }
            outer.record("states", 7);
            drop(outer);
            let _second =
                tracing::trace_span!("translate", weak = true, ratio = 0.5, at = ?Some(1))
                    .entered();
        })
    }

    #[test]
    fn spans_close_with_times_fields_and_parents() {
        let spans = example();
        let seen: Vec<_> = spans.iter().map(|s| (s.id, s.parent, s.path.as_str())).collect();
        let expected =
            [(2, Some(1), "translate;reduce"), (1, None, "translate"), (3, None, "translate")];
        assert_eq!(seen, expected);
        let fields: Vec<_> =
            spans.iter().map(|s| Value::Object(s.fields.clone()).to_string()).collect();
        assert_eq!(
            fields,
            [
                r#"{"states":3}"#,
                r#"{"formula":"G \"a\"\n","states":7}"#,
                r#"{"at":"Some(1)","ratio":0.5,"weak":true}"#
            ]
        );
        let [reduce, translate, second] = &spans[..] else { unreachable!("three spans") };
        assert!(translate.start <= reduce.start);
        assert!(reduce.start + reduce.duration <= translate.start + translate.duration);
        assert_eq!(translate.own, translate.duration.saturating_sub(reduce.duration));
        assert_eq!(reduce.own, reduce.duration);
        assert!(reduce.duration >= Duration::from_millis(2));
        assert!(second.start >= translate.start + translate.duration);
        assert!(spans.iter().all(|s| s.thread == reduce.thread && s.thread > 0));
    }

    /// Name, number of spans and what they reported.
    type Expected<'e> = (&'e str, usize, &'e [(&'static str, u64)]);

    #[test]
    fn what_is_entered_is_under_way_with_what_it_told_last() {
        let spans = recorded(|record| {
            let expect = |expected: &[Expected<'_>]| {
                let under_way = lock(record).under_way();
                let found: Vec<Expected<'_>> =
                    under_way.iter().map(|one| (one.name, one.spans, &one.told[..])).collect();
                assert_eq!(found, expected);
            };
            let search = debug_span!("search", nodes = Empty);
            expect(&[]);
            search.in_scope(|| {
                expect(&[("search", 1, &[])]);
                trace!(target: "progress", nodes = 10_u64, depth = 4_u64);
                trace!(target: "progress", nodes = 20_u64, depth = 3_u64, kind = "x");
                expect(&[("search", 1, &[("nodes", 20), ("depth", 3)])]);
                // As another thread would do.
                let other = debug_span!(parent: None, "search").entered();
                trace!(target: "progress", nodes = 5_u64, depth = 9_u64, edges = 1_u64);
                let _inner = debug_span!("refine").entered();
                trace!(target: "progress", parent: &search, nodes = 30_u64);
                let counts = [("nodes", 35), ("depth", 9), ("edges", 1)];
                expect(&[("refine", 1, &[]), ("search", 2, &counts)]);
                drop(other);
            });
            // It is not closed before it is dropped, but it is not active.
            expect(&[]);
        });
        let search = spans.last().expect("it closes last");
        assert_eq!(
            Value::Object(search.fields.clone()).to_string(),
            r#"{"depth":3,"kind":"x","nodes":30}"#
        );
    }

    #[test]
    fn what_is_open_at_the_end_closes_then() {
        let spans = recorded(|record| {
            let _outer = debug_span!("outer").entered();
            let _inner = debug_span!("inner").entered();
            std::thread::sleep(Duration::from_millis(1));
            lock(record).finish().expect("nothing fails");
            let _late = debug_span!("late").entered();
        });
        let names: Vec<_> = spans.iter().map(|span| (span.name, span.path.as_str())).collect();
        assert_eq!(names, [("inner", "outer;inner"), ("outer", "outer")]);
        assert!(spans[0].own >= Duration::from_millis(1));
        assert_eq!(spans[1].own, spans[1].duration.saturating_sub(spans[0].duration));
    }
}
