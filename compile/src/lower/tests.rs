//! Every lowered unit touches only its own memory; altered ones do not, and are rejected.

use super::*;
use crate::cells::layout_of;
use crate::form::walk::Part;
use crate::form::{Index, Level, check};
use model::check as checked_model;
use model::generate::{self, Options};

/// Visits all cells of a rule.
fn visit_cells(form: &mut RuleForm, visit: &mut dyn FnMut(&mut Cells)) {
    let visit = &mut |part: Part<'_>| {
        if let Part::Cells(cells) = part {
            visit(cells);
        }
        true
    };
    for level in &mut form.scope.levels {
        if let Level::Let(statements) = level {
            Statement::walk(statements, visit);
        }
    }
    let conditions = form.scope.conditions.iter_mut().flatten();
    conditions.for_each(|(condition, _)| condition.walk(visit));
    Statement::walk(&mut form.body, visit);
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
    ("a base beyond the region", |at| {
        at.base += 1 << 20;
        true
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
    visit_cells(&mut altered, &mut |cells| {
        if k == nth {
            made = Some(mistake(cells));
        }
        k += 1;
    });
    made.map(|made| (altered, made))
}

/// Checks all units of a model; the numbers of units that were lowered, and of mistakes that were rejected.
fn check_all(text: &str, counts: &mut [usize; 2], rejected: &mut [usize; MISTAKES.len()]) {
    let Ok(model) = checked_model(text, &[]) else { return };
    let layout = layout_of(&model);
    let units = Units { model: &model, layout: &layout };
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
