//! Watches spans and reports each when it closes.
//!
//! A span lasts from its first entry to its last exit. Its *own* time is that without the time of
//! its children. Children close before their parents, so their times are known by then.

use serde_json::{Map, Value};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
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

/// A format of profiles.
pub(super) trait Sink {
    /// Takes note of a span.
    fn span(&mut self, span: &Span) -> io::Result<()>;
    /// Completes the file.
    fn finish(&mut self) -> io::Result<()>;
}

/// A duration in microseconds, exact to the nanosecond.
pub(super) fn microseconds(duration: Duration) -> Value {
    Value::from(duration.div_duration_f64(Duration::from_micros(1)))
}

/// The layer that reports spans to a function.
pub(super) struct Recorder<F> {
    report: F,
    began: Instant,
    opened: AtomicU64,
}

/// What is known of a span that is open.
struct Open {
    span: Span,
    entered: Option<Instant>,
    left: Option<Instant>,
    children: Duration,
}

impl<F: Fn(&Span)> Recorder<F> {
    /// Begins to record.
    pub(super) fn new(report: F) -> Self {
        Recorder { report, began: Instant::now(), opened: AtomicU64::new(0) }
    }
}

impl<S, F> Layer<S> for Recorder<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    F: Fn(&Span) + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let metadata = span.metadata();
        let mut fields = Fields(Map::new());
        attributes.record(&mut fields);
        let mut path = String::new();
        let mut parent_id = None;
        if let Some(parent) = span.parent()
            && let Some(parent) = parent.extensions().get::<Open>()
        {
            parent_id = Some(parent.span.id);
            path = format!("{};", parent.span.path);
        }
        path.push_str(metadata.name());
        span.extensions_mut().insert(Open {
            span: Span {
                id: self.opened.fetch_add(1, Ordering::Relaxed) + 1,
                parent: parent_id,
                name: metadata.name(),
                target: metadata.target(),
                path,
                thread: thread_number(),
                start: self.began.elapsed(),
                duration: Duration::ZERO,
                own: Duration::ZERO,
                fields: fields.0,
            },
            entered: None,
            left: None,
            children: Duration::ZERO,
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            let mut fields = Fields(std::mem::take(&mut open.span.fields));
            values.record(&mut fields);
            open.span.fields = fields.0;
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            open.entered.get_or_insert_with(Instant::now);
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            open.left = Some(Instant::now());
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        let Open { span: mut closed, entered, left, children } = open;
        if let (Some(entered), Some(left)) = (entered, left) {
            closed.start = entered.saturating_duration_since(self.began);
            closed.duration = left.saturating_duration_since(entered);
        }
        closed.own = closed.duration.saturating_sub(children);
        if let Some(parent) = span.parent()
            && let Some(parent) = parent.extensions_mut().get_mut::<Open>()
        {
            parent.children += closed.duration;
        }
        (self.report)(&closed);
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
struct Fields(Map<String, Value>);

impl Visit for Fields {
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

/// Spans for the tests of this module and of the formats.
#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::layer::SubscriberExt as _;

    /// A run of two formulas: `translate` twice, the first with a `reduce` inside.
    pub(in super::super) fn example() -> Vec<Span> {
        let spans = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&spans);
        let recorder = Recorder::new(move |span: &Span| {
            kept.lock().expect("no panic").push(span.clone());
        });
        tracing::subscriber::with_default(tracing_subscriber::registry().with(recorder), || {
            let outer =
                tracing::debug_span!("translate", formula = "G \"a\"\n", states = 0).entered();
            {
                let inner = tracing::info_span!("reduce", states = tracing::field::Empty).entered();
                std::thread::sleep(Duration::from_millis(2));
                inner.record("states", 3);
                tracing::error!("events are not spans");
            }
            outer.record("states", 7);
            drop(outer);
            let _second =
                tracing::trace_span!("translate", weak = true, ratio = 0.5, at = ?Some(1))
                    .entered();
        });
        let spans = spans.lock().expect("no panic");
        spans.clone()
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
}
