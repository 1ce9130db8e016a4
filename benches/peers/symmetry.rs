//! Representatives: one of each orbit, by one thread and by two, and states that are only sorted, beside
//! rumur's heuristic mode, which sorts, too, without the schedules that its traces need.
//!
//! rumur may have several states of an orbit: `each` is of the times per state that was found, `all` of the
//! whole times.

use crate::lab::{By, Lab, Run};
use crate::model::{Model, Way};
use crate::table::{Table, figure, megabytes, summary};

/// Fixtures with more than 100,000 representatives. The list was fixed before anything was tuned, but for the
/// last: the FLASH protocol was added afterwards, as others are measured by it, too. Nothing was tuned for it.
const MODELS: [Model; 6] = [
    Model::new("peterson", "N=8"),
    Model::new("german", "N=5 D=2"),
    Model::new("german", "N=6 D=1"),
    Model::new("mcs_lock_stepwise", "N=5"),
    Model::new("two_phase_commit", "N=26"),
    Model::new("flash", "N=5 D=1"),
];

pub(crate) fn section(lab: &mut Lab) -> String {
    let mut table = Table::new(&[
        "model",
        "by",
        "states",
        "fired",
        "s",
        "work, s",
        "µs/state",
        "MB",
        "each",
        "all",
    ]);
    let (mut each, mut all) = (Vec::new(), Vec::new());
    for model in MODELS {
        let by = [
            By::Rumur { sorting: true },
            By::Us(Way::Canonical(1)),
            By::Us(Way::Canonical(2)),
            By::Us(Way::Sorted),
        ];
        let runs = lab.explored(model, &by);
        let [theirs, Some(one), Some(two), Some(_)] = &runs[..] else { panic!("{model}: no run") };
        assert_eq!((one.states, one.fired), (two.states, two.fired), "{model}: two threads");
        for run in runs.iter().flatten() {
            assert!(run.states >= one.states, "{model}: there are {} orbits", one.states);
        }
        let per_state = |run: &Run| run.seconds / run.states as f64;
        let names = ["rumur", "1 thread", "2 threads", "sorted"];
        for (name, run) in names.into_iter().zip(&runs) {
            let Some(run) = run else { continue };
            let ratios = theirs
                .as_ref()
                .map(|theirs| (per_state(theirs) / per_state(run), theirs.seconds / run.seconds));
            if name == "1 thread" {
                each.extend(ratios.map(|(each, _)| each));
                all.extend(ratios.map(|(_, all)| all));
            }
            let shown = |ratio: Option<f64>| ratio.map_or("-".to_owned(), figure);
            table.row(vec![
                model.to_string(),
                name.to_owned(),
                run.states.to_string(),
                run.fired.to_string(),
                figure(run.seconds),
                figure(run.measured.work),
                figure(per_state(run) * 1e6),
                megabytes(run.measured.peak),
                shown(ratios.map(|(each, _)| each)),
                shown(ratios.map(|(_, all)| all)),
            ]);
        }
    }
    format!(
        "{}\n- One thread, as many times as fast as rumur per state that was found: {}.\n\
         - In all: {}.\n",
        table.markdown(),
        summary(&each),
        summary(&all),
    )
}
