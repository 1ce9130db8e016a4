//! What a state costs as there are more of them, and what a representative costs as it grows.
//!
//! Work in seconds of processors, of the whole process, one thread. Start-up, reading and compiling the model are in it: they make
//! small spaces look dearer than they are, and take some milliseconds.

use crate::lab::{By, Lab};
use crate::model::{Model, Way, number_before};
use crate::plot::{Curve, Panel, figure as drawing};
use crate::table::{Table, figure};
use std::fmt::Write as _;

/// Families from 10^5 to 10^7 states, or as far as they go.
const STATES: [&[Model]; 5] = [
    &[Model::new("peterson", "N=5"), Model::new("peterson", "N=6")],
    &[Model::new("chang_roberts", "N=5"), Model::new("chang_roberts", "N=6")],
    &[
        Model::new("dining_philosophers", "N=13"),
        Model::new("dining_philosophers", "N=15"),
        Model::new("dining_philosophers", "N=17"),
    ],
    &[
        Model::new("resource_controller", "N=13"),
        Model::new("resource_controller", "N=15"),
        Model::new("resource_controller", "N=17"),
        Model::new("resource_controller", "N=19"),
    ],
    &[
        Model::new("szymanski", "N=8"),
        Model::new("szymanski", "N=9"),
        Model::new("szymanski", "N=10"),
        Model::new("szymanski", "N=11"),
    ],
];

/// Families up to N = 1,000, or as far as they go: some have too many representatives.
const REPRESENTATIVES: [&[Model]; 5] = [
    &[
        Model::new("resource_controller", "N=10"),
        Model::new("resource_controller", "N=30"),
        Model::new("resource_controller", "N=100"),
        Model::new("resource_controller", "N=300"),
        Model::new("resource_controller", "N=1000"),
    ],
    &[
        Model::new("resource_simple", "N=10"),
        Model::new("resource_simple", "N=30"),
        Model::new("resource_simple", "N=100"),
        Model::new("resource_simple", "N=300"),
        Model::new("resource_simple", "N=1000"),
    ],
    &[
        Model::new("mux_sem", "N=10"),
        Model::new("mux_sem", "N=30"),
        Model::new("mux_sem", "N=100"),
        Model::new("mux_sem", "N=300"),
        Model::new("mux_sem", "N=1000"),
    ],
    &[
        Model::new("database_managers", "N=10"),
        Model::new("database_managers", "N=30"),
        Model::new("database_managers", "N=100"),
        Model::new("database_managers", "N=300"),
    ],
    &[
        Model::new("two_phase_commit", "N=5"),
        Model::new("two_phase_commit", "N=10"),
        Model::new("two_phase_commit", "N=20"),
    ],
];

/// Seconds of work. What takes less takes not much longer than to start and to read the model, and it is looked at only
/// once in a millisecond: that says nothing of what a representative costs.
const LONG: f64 = 0.015;

/// What was measured, and a picture of it.
pub(crate) fn section(lab: &mut Lab) -> (String, String) {
    let (states, all) = of_states(lab);
    let (representatives, quotient) = of_representatives(lab);
    let title = "Cost of states, and of representatives, as their number and their size grow";
    (format!("{states}\n{representatives}"), drawing(title, &[all, quotient]))
}

fn of_states(lab: &mut Lab) -> (String, Panel) {
    let mut table = Table::new(&["model", "states", "work, s", "ns/state", "beside the first"]);
    let mut panel = Panel::new("states", "ns per state");
    let mut most: f64 = 0.0;
    for family in STATES {
        let mut curve = Curve::new(family[0].name);
        for &model in family {
            let run = lab.explored(model, &[By::Us(Way::All(1))]).remove(0).expect("ours");
            let cost = run.measured.work * 1e9 / run.states as f64;
            curve.points.push((run.states as f64, cost));
            let growth = cost / curve.points[0].1;
            most = most.max(growth);
            table.row(vec![
                model.to_string(),
                run.states.to_string(),
                figure(run.measured.work),
                figure(cost),
                figure(growth),
            ]);
        }
        panel.curves.push(curve);
    }
    let text =
        format!("{}\n- The cost of a state grows at most **{most:.2}** times.\n", table.markdown());
    (text, panel)
}

fn of_representatives(lab: &mut Lab) -> (String, Panel) {
    let mut table = Table::new(&[
        "model",
        "representatives",
        "annotated edges",
        "work, s",
        "µs/representative",
        "ns/representative/N",
        "ns/annotated edge",
    ]);
    let mut panel = Panel::new("N", "µs per representative");
    let mut growth = String::new();
    for family in REPRESENTATIVES {
        let mut curve = Curve::new(family[0].name);
        // Of the first size that takes long enough, and of the last one: N, per representative and N, per edge.
        let mut ends: Vec<(u32, f64, f64)> = Vec::new();
        for &model in family {
            let run = lab.explored(model, &[By::Us(Way::Canonical(1))]).remove(0).expect("ours");
            let edges = number_before(&run.measured.output, " annotated edges").expect("counted");
            let size = f64::from(model.size());
            let cost = run.measured.work * 1e6 / run.states as f64;
            let (per_size, per_edge) = (cost * 1e3 / size, run.measured.work * 1e9 / edges as f64);
            let is_long = run.measured.work >= LONG;
            if is_long {
                curve.points.push((size, cost));
                ends.truncate(1);
                ends.push((model.size(), per_size, per_edge));
            }
            let shown = |value: f64| if is_long { figure(value) } else { "-".to_owned() };
            table.row(vec![
                model.to_string(),
                run.states.to_string(),
                edges.to_string(),
                figure(run.measured.work),
                shown(cost),
                shown(per_size),
                shown(per_edge),
            ]);
        }
        panel.curves.push(curve);
        if let [(first, size, edge), (last, size_then, edge_then)] = ends[..] {
            let _ = writeln!(
                growth,
                "- {}: from N = {first} to N = {last} the cost per representative and N grows **{:.2}** times, \
                 that per annotated edge **{:.2}** times.",
                family[0].name,
                size_then / size,
                edge_then / edge,
            );
        }
    }
    (format!("{}\n{growth}", table.markdown()), panel)
}
