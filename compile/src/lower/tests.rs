//! Every lowered unit touches only its own memory; altered ones do not, and are rejected.

use super::*;
use crate::cells::layout_of;
use crate::form::{Base, Domain, Index, Level, Place, Steps, check};
use model::check as checked_model;
use model::generate::{self, Options};

/// Visits all cells of a value or statement, outermost first.
struct Visitor<'v>(&'v mut dyn FnMut(&mut Cells));

impl Visitor<'_> {
    fn cells(&mut self, at: &mut Cells) {
        (self.0)(at);
        at.indices.iter_mut().for_each(|index| self.value(&mut index.value));
    }

    fn place(&mut self, place: &mut Place) {
        if let Place::Cells(cells) = place {
            self.cells(cells);
        }
    }

    fn values<'a>(&mut self, values: impl IntoIterator<Item = &'a mut Value>) {
        values.into_iter().for_each(|one| self.value(one));
    }

    fn domain(&mut self, over: &mut Domain) {
        if let Domain::Steps(steps) = over {
            let Steps { from, to, by } = &mut **steps;
            self.values([from, to, by]);
        }
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::Constant(_) | Value::Register(_) => {}
            Value::Load(place, _) | Value::Peek(place) | Value::Address(place) => self.place(place),
            Value::Inside(one, _) | Value::Translate(one, _) | Value::Once(_, one) => {
                self.value(one);
            }
            Value::Binary(_, a, b) => self.values([&mut **a, &mut **b]),
            Value::If(parts) => self.values(parts.iter_mut()),
            Value::Quantified(one) => {
                self.domain(&mut one.over.over);
                self.value(&mut one.body);
            }
            Value::Sum(parts) => {
                self.domain(&mut parts.0.over);
                self.value(&mut parts.1);
            }
            Value::SameCells(both, _) => {
                self.cells(&mut both.0);
                self.cells(&mut both.1);
            }
            Value::After(statements, value) => {
                self.statements(statements);
                self.value(value);
            }
            Value::Call(call) => self.values(&mut call.arguments),
        }
    }

    fn statements(&mut self, list: &mut [Statement]) {
        for one in list {
            self.statement(one);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Set(place, value) => {
                self.place(place);
                self.value(value);
            }
            Statement::Fill(cells, _) => self.cells(cells),
            Statement::Copy { to, from, .. } => {
                self.cells(to);
                self.cells(from);
            }
            Statement::If(condition, yes, no) => {
                self.value(condition);
                self.statements(yes);
                self.statements(no);
            }
            Statement::For { over, body, .. } => {
                self.domain(&mut over.over);
                self.statements(body);
            }
            Statement::While(condition, body) => {
                self.value(condition);
                self.statements(body);
            }
            Statement::Block(body) => self.statements(body),
            Statement::Return | Statement::Trap | Statement::Abandon | Statement::Cover(_) => {}
        }
    }

    fn rule(&mut self, form: &mut RuleForm) {
        for level in &mut form.scope.levels {
            match level {
                Level::Parameter(..) => {}
                Level::Let(statements) => self.statements(statements),
            }
        }
        self.values(form.scope.conditions.iter_mut().flatten().map(|(condition, _)| condition));
        self.statements(&mut form.body);
    }
}

/// A mistake in one place; false if it cannot be made there, or would do no harm.
type Mistake = fn(&mut Cells) -> bool;

/// An index that was loaded from memory, where anything may be, and compared with its range.
fn loaded(at: &mut Cells) -> Option<&mut Index> {
    let is_loaded = |value: &Value| match value {
        Value::Inside(inner, _) => matches!(**inner, Value::Load(..)),
        _ => false,
    };
    at.indices.iter_mut().find(|index| is_loaded(&index.value))
}

const MISTAKES: [(&str, Mistake); 5] = [
    ("an index that is not compared with its range", |at| {
        let Some(index) = loaded(at) else { return false };
        let Value::Inside(value, _) = index.value.clone() else { return false };
        index.value = *value;
        true
    }),
    ("an index one beyond its range", |at| match loaded(at).map(|index| &mut index.value) {
        Some(Value::Inside(_, range)) => {
            range.high += 1;
            true
        }
        _ => false,
    }),
    ("a larger stride", |at| match loaded(at) {
        Some(Index { value: Value::Inside(_, range), stride, .. }) => {
            *stride += 1;
            // An index with one value does not move.
            range.low < range.high
        }
        _ => false,
    }),
    ("a base beyond the region", |at| match &mut at.base {
        Base::State(first) | Base::Frame(first) => {
            *first += 1 << 20;
            true
        }
        Base::Pointer(..) => false,
    }),
    ("bounds beyond the region", |at| {
        at.high += 1 << 20;
        true
    }),
];

/// Makes a mistake in the `nth` place of a rule; `None` if there is no such place, else whether it could
/// be made there.
fn mistaken(form: &RuleForm, nth: usize, mistake: Mistake) -> Option<(RuleForm, bool)> {
    let mut altered = form.clone();
    let (mut k, mut made) = (0, None);
    Visitor(&mut |cells| {
        if k == nth {
            made = Some(mistake(cells));
        }
        k += 1;
    })
    .rule(&mut altered);
    made.map(|made| (altered, made))
}

/// Checks all units of a model; the numbers of units that were lowered, and of mistakes that were rejected.
fn check_all(text: &str, counts: &mut [usize; 2], rejected: &mut [usize; MISTAKES.len()]) {
    let Ok(model) = checked_model(text, &[]) else { return };
    let layout = layout_of(&model);
    let units = Units { model: &model, layout: &layout };
    let functions = functions(units);
    for form in functions.iter().flatten() {
        assert_eq!(check::function(form, layout.cells()), Ok(()), "{text}");
    }
    for one in &model.rules {
        counts[1] += 1;
        let Ok(form) = units.rule(one) else { continue };
        counts[0] += 1;
        check::rule(&form, layout.cells()).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        for (k, (name, mistake)) in MISTAKES.iter().enumerate() {
            for nth in 0..8 {
                let Some((altered, is_made)) = mistaken(&form, nth, *mistake) else { break };
                if is_made {
                    let checked = check::rule(&altered, layout.cells());
                    assert!(checked.is_err(), "{name}, place {nth}: {altered:#?}\n{text}");
                    rejected[k] += 1;
                }
            }
        }
    }
    for one in &model.properties {
        if let Ok(form) = units.property(one) {
            check::property(&form, layout.cells())
                .unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        }
    }
    for one in &model.starts {
        if let Ok(form) = units.start(one) {
            check::start(&form, layout.cells()).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
        }
    }
}

#[test]
fn forms_touch_their_own_memory_only() {
    let (mut counts, mut rejected) = ([0; 2], [0; MISTAKES.len()]);
    for seed in 0..1000 {
        let text = generate::model(seed, &Options::default());
        check_all(&text, &mut counts, &mut rejected);
    }
    let [lowered, all] = counts;
    assert!(lowered > 2000 && all - lowered < all / 100, "{lowered} of {all}");
    assert!(rejected.iter().all(|&count| count > 100), "{rejected:?}");
}
