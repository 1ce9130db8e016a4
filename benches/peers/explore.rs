//! All states, without symmetry: one thread beside rumur's and Spin's verifiers, and two threads beside one.

use crate::lab::{By, Lab, Run};
use crate::model::{Model, Way};
use crate::table::{Table, figure, megabytes, summary, thousands};
use std::ops::Range;
use std::rc::Rc;

/// Fixtures with 10^5 to 10^7 states. The list was fixed before anything was tuned.
pub(crate) const MODELS: [Model; 12] = [
    Model::new("peterson", "N=5"),
    Model::new("german", "N=4 D=1"),
    Model::new("database_managers", "N=10"),
    Model::new("two_phase_commit", "N=7"),
    Model::new("resource_controller", "N=15"),
    Model::new("readers_writers", "READERS=8 WRITERS=5"),
    Model::new("mcs_lock_stepwise", "N=4"),
    Model::new("ticket_lock", "N=8"),
    Model::new("szymanski", "N=10"),
    Model::new("msi_directory", "N=6"),
    Model::new("bakery", "N=6"),
    Model::new("mux_sem", "N=18"),
];

/// A model with a Promela version of ours.
pub(crate) struct Promela {
    pub(crate) model: Model,
    /// As many as we count.
    pub(crate) states: u64,
    /// A stack that is just enough for Spin: it is allocated at once.
    pub(crate) depth: u64,
    /// States that only the Promela version has, and transitions out of them.
    pub(crate) more_states: u64,
    pub(crate) more_transitions: u64,
}

/// What Spin is compared on.
pub(crate) const PROMELA: [Promela; 4] = [
    Promela::new("peterson", "N=5", 409_308, 62_000),
    Promela::new("peterson", "N=6", 10_187_487, 1_210_000),
    Promela {
        // The numbers are dealt out in a state of its own, in N! ways: each is a start state of ours.
        more_states: 1,
        more_transitions: 720,
        ..Promela::new("chang_roberts", "N=6", 3_870_720, 100)
    },
    Promela::new("dining_philosophers", "N=16", 1_331_714, 1_260_000),
];

impl Promela {
    pub(crate) const fn new(
        name: &'static str,
        constants: &'static str,
        states: u64,
        depth: u64,
    ) -> Promela {
        let model = Model::new(name, constants);
        Promela { model, states, depth, more_states: 0, more_transitions: 0 }
    }

    /// Spin with the least table that has a place for each state, or with one that is so many times doubled.
    pub(crate) fn spin(&self, doubled: u32) -> By {
        let table = self.states.next_power_of_two().ilog2() + doubled;
        By::Spin { depth: self.depth, table }
    }

    /// Both have seen the same. Spin counts a transition into its first state, too.
    pub(crate) fn agree(&self, ours: &Run, theirs: &Run) {
        assert_eq!(ours.states, self.states, "{}", self.model);
        let expected = (ours.states + self.more_states, ours.fired + self.more_transitions + 1);
        assert_eq!(
            (theirs.states, theirs.fired),
            expected,
            "{}: Spin counts otherwise",
            self.model
        );
    }
}

/// Fixtures with 5,000 to 80,000 states: there the time to begin counts, too. The list was fixed before
/// anything was tuned for it.
pub(crate) const SMALL: [Model; 6] = [
    Model::new("peterson", "N=4"),
    Model::new("german", "N=3 D=1"),
    Model::new("two_phase_commit", "N=5"),
    Model::new("szymanski", "N=7"),
    Model::new("database_managers", "N=8"),
    Model::new("mcs_lock_stepwise", "N=3"),
];

pub(crate) fn section(lab: &mut Lab) -> String {
    beside_rumur(lab, &MODELS, 100_000..10_500_000) + "\n" + &beside_spin(lab)
}

/// Small models beside rumur.
pub(crate) fn small(lab: &mut Lab) -> String {
    beside_rumur(lab, &SMALL, 5_000..80_000)
}

fn beside_rumur(lab: &mut Lab, models: &[Model], sizes: Range<u64>) -> String {
    let mut table = Table::new(&[
        "model",
        "states",
        "fired",
        "rumur, states/s",
        "1 thread, states/s",
        "1 : rumur",
        "of work",
        "2 threads, states/s",
        "2 : 1",
        "rumur, MB",
        "1 thread, MB",
    ]);
    let (mut ratios, mut works, mut threads) = (Vec::new(), Vec::new(), Vec::new());
    for &model in models {
        let by = [By::Rumur { sorting: false }, By::Us(Way::All(1)), By::Us(Way::All(2))];
        let [theirs, one, two] = &lab.explored(model, &by)[..] else { unreachable!("three") };
        let (one, two) = (one.as_ref().expect("ours"), two.as_ref().expect("ours"));
        assert!(sizes.contains(&one.states), "{model} has {} states", one.states);
        let theirs = theirs.as_ref();
        for other in [Some(two), theirs].into_iter().flatten() {
            let counts = (other.states, other.fired);
            assert_eq!(counts, (one.states, one.fired), "{model}: counted otherwise");
        }
        let rate = |run: &Rc<Run>| run.states as f64 / run.seconds;
        let ratio = theirs.map(|theirs| theirs.seconds / one.seconds);
        let work = theirs.map(|theirs| theirs.measured.work / one.measured.work);
        ratios.extend(ratio);
        works.extend(work);
        threads.push(one.seconds / two.seconds);
        let or_refused = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        table.row(vec![
            model.to_string(),
            one.states.to_string(),
            one.fired.to_string(),
            or_refused(theirs.map(|theirs| thousands(rate(theirs)))),
            thousands(rate(one)),
            or_refused(ratio.map(figure)),
            or_refused(work.map(figure)),
            thousands(rate(two)),
            figure(one.seconds / two.seconds),
            or_refused(theirs.map(|theirs| megabytes(theirs.measured.peak))),
            megabytes(one.measured.peak),
        ]);
    }
    format!(
        "{}\n- One thread, as many times as fast as rumur: {}; by seconds of processors, {}.\n\
         - Two threads, as many times as fast as one: {}.\n",
        table.markdown(),
        summary(&ratios),
        summary(&works),
        summary(&threads),
    )
}

fn beside_spin(lab: &mut Lab) -> String {
    let mut table = Table::new(&[
        "model",
        "states",
        "fired",
        "Spin, states/s",
        "its best table",
        "1 thread, states/s",
        "1 : Spin",
        "of work",
        "Spin, MB",
        "1 thread, MB",
    ]);
    let (mut ratios, mut works) = (Vec::new(), Vec::new());
    for promela in &PROMELA {
        let model = promela.model;
        let tables = [0, 2].map(|doubled| promela.spin(doubled));
        let by = [By::Us(Way::All(1)), tables[0], tables[1]];
        let mut runs = lab.explored(model, &by).into_iter().zip(by);
        let ours = runs.next().and_then(|(ours, _)| ours).expect("ours");
        let theirs = runs.filter_map(|(run, by)| run.map(|run| (run, by)));
        let best = theirs.min_by(|(a, _), (b, _)| a.seconds.total_cmp(&b.seconds));
        let Some((theirs, By::Spin { table: best, .. })) = best else { continue };
        promela.agree(&ours, &theirs);
        let ratio = theirs.seconds / ours.seconds;
        let work = theirs.measured.work / ours.measured.work;
        ratios.push(ratio);
        works.push(work);
        table.row(vec![
            model.to_string(),
            ours.states.to_string(),
            ours.fired.to_string(),
            thousands(theirs.states as f64 / theirs.seconds),
            format!("-w{best}"),
            thousands(ours.states as f64 / ours.seconds),
            figure(ratio),
            figure(work),
            megabytes(theirs.measured.peak),
            megabytes(ours.measured.peak),
        ]);
    }
    if ratios.is_empty() {
        return "SKIPPED: Spin is not here.\n".to_owned();
    }
    format!(
        "{}\n- One thread, as many times as fast as Spin: {}; by seconds of processors, {}.\n",
        table.markdown(),
        summary(&ratios),
        summary(&works),
    )
}
