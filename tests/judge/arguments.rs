//! Why runs are fair: what the judge says, line by line.

use super::{CONTROLLER, checked, follow};
use judge::OwedEvents;
use judge::Renaming;
use judge::judge_fairness;
use model::checked::Demand;
use model::reference::ModelReference;
use model::reference::{Argument, Reason};
use model::syntax::{Fairness, Over};
use model::types::IndexTypeId;
use std::fmt::Write as _;

/// A token goes round; the key of each node is with its neighbour.
const RING: &str = "
    type node: ring(4);
    var at: node;
    ruleset n: node do startstate at := n; end; end;
    process n: node do rule \"pass\" at = n ==> at := next(n); end; end;
    justice \"here\": forall n: node. at = n;
    compassion forall n: node. (at = n, at != n);";

/// Fair rules of two strengths.
const DESK: &str = "
    type client: scalarset(2);
    var waits: array [client] of boolean; open: boolean;
    startstate for c: client do waits[c] := false; end; open := true; end;
    process c: client do
      fair rule \"come\" !waits[c] ==> waits[c] := true; end;
      strongly fair rule \"serve\" waits[c] & open ==> waits[c] := false; end;
    end;
    rule \"shut\" open := !open; end;
    justice \"quiet\": !open;
    compassion \"served\": forall distinct c, d: client. (waits[c], waits[d]);";

/// Counts to one and stays there.
const ONCE: &str = "
    var x: 0..1;
    startstate x := 0; end;
    fair rule \"up\" x = 0 ==> x := 1; end;";

const STARVES: &str = "ask(client_0) | ask(client_1) grant(client_1) leave(client_1)";
const ROUND: &str = "| come(client_0) come(client_1) shut shut serve(client_0) serve(client_1)";

/// (model, what is demanded, run, renaming, what the judge says)
type Row = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    (CONTROLLER, "weak", STARVES, "", &["unfair to client_2"]),
    (
        CONTROLLER,
        "weak",
        "ask(client_0) ask(client_2) | ask(client_1) grant(client_1) leave(client_1)",
        "",
        &[
            "weak client_0 disabled 3",
            "weak client_1 executed 3",
            "weak client_2 disabled 3",
            "weak server executed 4",
        ],
    ),
    (
        CONTROLLER,
        "strong",
        "ask(client_0) ask(client_2) | ask(client_1) grant(client_1) leave(client_1)",
        "",
        &[
            "strong client_0 never",
            "strong client_1 executed 3",
            "strong client_2 never",
            "strong server executed 4",
        ],
    ),
    (
        CONTROLLER,
        "weak events",
        "ask(client_0) ask(client_2) | ask(client_1) grant(client_1) leave(client_1)",
        "",
        &[
            "weak ask(client_1) executed 3",
            "weak leave(client_1) executed 5",
            "weak grant(client_0) disabled 5",
            "weak grant(client_1) executed 4",
            "weak grant(client_2) disabled 5",
        ],
    ),
    (CONTROLLER, "strong events", STARVES, "", &["unfair to ask(client_2)"]),
    (CONTROLLER, "none", STARVES, "", &[]),
    (CONTROLLER, "global", STARVES, "", &["unfair to client_2: ask(client_2)"]),
    (RING, "global", "| pass(node_0) pass(node_1) pass(node_2) pass(node_3)", "", &["4 of 4"]),
    // What is declared; what is both strong and weak is strong.
    (
        DESK,
        "declared",
        ROUND,
        "",
        &[
            "weak come(client_0) executed 1",
            "weak come(client_1) executed 2",
            "strong serve(client_0) executed 5",
            "strong serve(client_1) executed 6",
            "weak \"quiet\" true 4",
            "strong \"served\"(client_0, client_1) true 3",
            "strong \"served\"(client_1, client_0) true 2",
        ],
    ),
    (
        DESK,
        "weak events declared",
        "shut come(client_0) come(client_1) shut | shut shut",
        "",
        &["unfair to serve(client_0)"],
    ),
    (
        DESK,
        "weak declared",
        "shut come(client_0) come(client_1) | shut shut",
        "",
        &["unfair to serve(client_0)"],
    ),
    (ONCE, "declared", "up | -", "", &["no fair rule"]),
    (ONCE, "weak events declared", "up | -", "", &["no event"]),
    (ONCE, "strong", "up | -", "", &["strong system never"]),
    (ONCE, "weak", "up | -", "", &["weak system disabled 2"]),
    (ONCE, "global", "up | -", "", &["0 of 1"]),
    // One lap of four.
    (
        RING,
        "strong declared",
        "| pass(node_0)",
        "(0 1 2 3)",
        &[
            "strong node_0 executed 1",
            "strong node_1 executed 1, 1 lap on: node_0",
            "strong node_2 executed 1, 2 laps on: node_0",
            "strong node_3 executed 1, 3 laps on: node_0",
            "weak \"here\"(node_0) true 1",
            "weak \"here\"(node_1) true 1, 1 lap on: \"here\"(node_0)",
            "weak \"here\"(node_2) true 1, 2 laps on: \"here\"(node_0)",
            "weak \"here\"(node_3) true 1, 3 laps on: \"here\"(node_0)",
            "strong compassion(node_0) true 1, 1 lap on: compassion(node_3)",
            "strong compassion(node_1) true 1",
            "strong compassion(node_2) true 1",
            "strong compassion(node_3) true 1",
        ],
    ),
    // Events of the lap; the others are their images. Who is enabled in all of this lap may not be so in the next.
    (
        RING,
        "weak events",
        "pass(node_0) | pass(node_1)",
        "(0 1 2 3)",
        &["weak pass(node_1) executed 2"],
    ),
    (
        CONTROLLER,
        "weak",
        "ask(client_0) ask(client_1) | ask(client_2) grant(client_1) leave(client_1)",
        "(1 2)",
        &[
            "weak client_0 disabled 3",
            "weak client_1 executed 5",
            "weak client_2 executed 3",
            "weak server executed 4",
        ],
    ),
];

#[test]
fn fair_runs_are_argued_for() {
    for &(text, demanded, run, cycles, expected) in ROWS {
        let model = checked(text);
        let run = follow(&model, run);
        let renaming = (!cycles.is_empty()).then(|| {
            let mut renaming = Renaming::identity(model.types.index_sizes());
            renaming.read(IndexTypeId(0), cycles).expect("cycles");
            renaming
        });
        let reference = ModelReference::new(&model);
        let found = match judge_fairness(&reference, demand(demanded), &run, renaming.as_ref()) {
            Ok(argument) => lines(&reference, &argument),
            Err(objection) => {
                let objection = objection.to_string();
                let to = objection
                    .strip_prefix("the run is not fair: it has an unsatisfied obligation to ");
                vec![format!("unfair to {}", to.unwrap_or(&objection))]
            }
        };
        assert_eq!(found, expected, "{demanded} of {run:?} of {text}");
    }
}

fn demand(text: &str) -> Demand {
    let has = |word: &str| text.split(' ').any(|one| one == word);
    let kinds =
        [("weak", Fairness::Weak), ("strong", Fairness::Strong), ("global", Fairness::Global)];
    let fairness = kinds.iter().find(|(word, _)| has(word)).map_or(Fairness::None, |one| one.1);
    let over = if has("events") { Over::Events } else { Over::Processes };
    Demand { fairness, over, declared: has("declared") }
}

/// One line per party.
fn lines(model: &ModelReference<'_>, argument: &Argument) -> Vec<String> {
    let kept = argument.kept.iter().map(|one| {
        let strength = if one.is_strong { "strong" } else { "weak" };
        let mut line = format!("{strength} {}", one.party.show(model));
        line += match one.reason {
            Reason::Executed(_) => " executed",
            Reason::Disabled(_) => " disabled",
            Reason::True(_) => " true",
            Reason::Never => " never",
        };
        if let Some(place) = one.reason.place() {
            let _ = write!(line, " {}", place.position + 1);
            if let Some(later) = &place.later {
                let s = if later.laps == 1 { "" } else { "s" };
                let instead = later.instead.show(model);
                let _ = write!(line, ", {} lap{s} on: {instead}", later.laps);
            }
        }
        line
    });
    let mut lines: Vec<String> = kept.collect();
    if let Some(all) = argument.all_steps {
        lines.push(format!("{} of {}", all.steps, all.states));
    }
    if argument.kept.is_empty() {
        match argument.events {
            OwedEvents::None => {}
            OwedEvents::OfFairRules => lines.push("no fair rule".to_owned()),
            OwedEvents::All => lines.push("no event".to_owned()),
        }
    }
    lines
}
