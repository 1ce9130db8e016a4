//! Counterexamples of one lap and a renaming: right ones, and every kind of lie.

use super::{CONTROLLER, Claim, act, both, checked, follow, values};
use judge::Renaming;
use judge::judge_laps;
use model::checked::{Group, Model};
use model::interpret::State;
use model::types::IndexTypeId;

/// A token goes round.
const RING: &str = "
    type node: ring(4);
    var at: node;
    ruleset n: node do startstate at := n; end; end;
    process n: node do rule \"pass\" at = n ==> at := next(n); end; end;";

/// Somebody is told apart by `first`, in a formula only.
const FORMULA_TELLS: &str = "
    type node: scalarset(2);
    var at: node;
    function first(): node; begin for n: node do return n; end; end;
    ruleset n: node do startstate at := n; end; end;
    process n: node do
      ruleset m: node do rule \"pass\" at = n & m != n ==> at := m; end; end;
    end;";

/// Somebody is told apart by `first`: only the first one passes on.
const RULE_TELLS: &str = "
    type node: scalarset(2);
    var at: node;
    function first(): node; begin for n: node do return n; end; end;
    ruleset n: node do startstate at := n; end; end;
    process n: node do
      ruleset m: node do rule \"pass\" at = n & m != n & n = first() ==> at := m; end; end;
    end;";

/// Two index types at once.
const TWO: &str = "
    type node: ring(3); side: scalarset(2);
    var at: node; on: side;
    ruleset n: node; s: side do startstate at := n; on := s; end; end;
    process n: node do
      ruleset s: side do
        rule \"go\" at = n & on != s ==> at := next(n); on := s; end;
      end;
    end;";

const ACCESS: &str = "forall c: client. G(st[c] = A -> F st[c] = K)";
/// Client 0 waits while the others take turns: who is served has asked before the other was.
const TURNS: &str = "ask(client_0) ask(client_1) | ask(client_2) grant(client_1) leave(client_1)";
const ROUND: &str = "| pass(node_0)";

/// What is done to a claim, or to the model behind the judge's back.
type Change = fn(&mut Model, &mut Claim);

/// (model, formula, values, run, renaming by type, most steps, change, what the judge says)
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    usize,
    Change,
    &'static str,
);

fn keep(_: &mut Model, _: &mut Claim) {}

/// As if nobody had noticed that values are told apart.
fn overlook(model: &mut Model, _: &mut Claim) {
    assert_eq!(model.symmetries[0].group, Group::Trivial, "it is noticed");
    model.symmetries[0].group = Group::Full;
}

const ROWS: &[Row] = &[
    (RING, "F !@pass", "", ROUND, &["(0 1 2 3)"], 100, keep, "4 laps, closed"),
    (RING, "F !@pass", "", ROUND, &["(0 1 2 3)"], 3, keep, "4 laps, closed"),
    (RING, "F !@pass", "", ROUND, &["(0 1 2 3)"], 2, keep, "3 laps"),
    (RING, "F !@pass", "", ROUND, &["(0 1 2 3)"], 0, keep, "1 laps"),
    (RING, "F false", "", "pass(node_0) | pass(node_1)", &["(0 1 2 3)"], 9, keep, "4 laps, closed"),
    (CONTROLLER, ACCESS, "c=0", TURNS, &["(1 2)"], 100, keep, "2 laps, closed"),
    (CONTROLLER, ACCESS, "c=0", TURNS, &["(1 2)"], 2, keep, "1 laps"),
    (TWO, "F false", "", "| go(node_0,side_1)", &["(0 1 2)", "(0 1)"], 100, keep, "6 laps, closed"),
    // Who does nothing is closed at once.
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        "ask(client_0) | ask(client_1) grant(client_1) leave(client_1)",
        &["(1 2)"],
        100,
        keep,
        "1 laps, closed",
    ),
    // The renaming.
    (
        RING,
        "F !@pass",
        "",
        ROUND,
        &["(0 1)"],
        100,
        keep,
        "the permutation of `node` is none that leaves the model as it is",
    ),
    (
        RING,
        "F !@pass",
        "",
        ROUND,
        &["(0 3 2 1)"],
        100,
        keep,
        "the lap does not lead to what the permutation makes of its first state",
    ),
    (
        TWO,
        "F false",
        "",
        "| go(node_0,side_1)",
        &["(0 1 2)", "()"],
        100,
        keep,
        "the lap does not lead to what the permutation makes of its first state",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        TURNS,
        &["(0 1 2)"],
        100,
        keep,
        "the permutation changes the value of `c`",
    ),
    (
        FORMULA_TELLS,
        "F !@pass & G at = first()",
        "",
        "| pass(node_0,node_1)",
        &["(0 1)"],
        100,
        keep,
        "the permutation of `node` is none that leaves the model as it is",
    ),
    (
        RULE_TELLS,
        "F !@pass",
        "",
        "| pass(node_0,node_1)",
        &["(0 1)"],
        100,
        keep,
        "the permutation of `node` is none that leaves the model as it is",
    ),
    // What the renaming promises is looked at.
    (
        FORMULA_TELLS,
        "F !@pass & G at = first()",
        "",
        "| pass(node_0,node_1)",
        &["(0 1)"],
        100,
        overlook,
        "atoms differ at step 2 from what they are in the first lap",
    ),
    (
        RULE_TELLS,
        "F !@pass",
        "",
        "| pass(node_0,node_1)",
        &["(0 1)"],
        100,
        overlook,
        "step 2 is no step of the model",
    ),
    (RULE_TELLS, "F !@pass", "", "| pass(node_0,node_1)", &["(0 1)"], 0, overlook, "1 laps"),
    // Everything else is as with other runs.
    (RING, "G @pass", "", ROUND, &["(0 1 2 3)"], 100, keep, "the run satisfies the formula"),
    (
        RING,
        "F !@pass",
        "",
        "pass(node_0)",
        &["(0 1 2 3)"],
        100,
        keep,
        "the run ends, but the formula is about infinite runs",
    ),
    (CONTROLLER, ACCESS, "", TURNS, &["(1 2)"], 100, keep, "`c` has no value"),
    (
        CONTROLLER,
        ACCESS,
        "c=3",
        TURNS,
        &["(1 2)"],
        100,
        keep,
        "the value of `c` is not of its type",
    ),
    (
        RING,
        "F !@pass",
        "",
        ROUND,
        &["(0 1 2 3)"],
        100,
        |_, claim| claim.run.cycle[0].state = State(Vec::new()),
        "the run does not begin in a start state",
    ),
    (
        RING,
        "F !@pass",
        "",
        ROUND,
        &["(0 1 2 3)"],
        100,
        |_, claim| claim.run.end = State(Vec::new()),
        "step 1 is no step of the model",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        TURNS,
        &["(1 2)"],
        100,
        |_, claim| act(&mut claim.run.cycle[1]).1.event.0 += 70,
        "step 4 is no step of the model",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        TURNS,
        &["(1 2)"],
        100,
        |_, claim| claim.run.cycle.swap(0, 2),
        "step 2 is no step of the model",
    ),
];

#[test]
fn laps_are_judged() {
    for &(text, formula, binding, run, cycles, most_steps, change, expected) in ROWS {
        let mut model = checked(&format!("{text}\nltl \"judged\": {formula};"));
        let run = follow(&model, run);
        let mut claim = Claim { binding: values(&model, &model.formulas[0], binding), run };
        change(&mut model, &mut claim);
        let mut renaming = Renaming::identity(model.types.index_sizes());
        for (k, cycles) in (0..).zip(cycles) {
            renaming.read(IndexTypeId(k), cycles).expect("cycles");
        }
        let formula = &model.formulas[0];
        let Claim { binding, run } = &claim;
        let [reference, paranoid] = &both(&model);
        let found = judge_laps(reference, formula, binding, run, &renaming, most_steps);
        let again = judge_laps(paranoid, formula, binding, run, &renaming, most_steps);
        assert_eq!(found, again, "{cycles:?} on {run:?} of {text}");
        let shown = match found {
            Ok(laps) if laps.is_closed => format!("{} laps, closed", laps.walked),
            Ok(laps) => format!("{} laps", laps.walked),
            Err(objection) => objection.to_string(),
        };
        assert_eq!(shown, expected, "{cycles:?} on {run:?} of {text}");
        let of_another = Renaming::new(vec![vec![0; 1]; 7]).expect("a renaming");
        let found = judge_laps(reference, formula, binding, run, &of_another, most_steps);
        let is_refused = found.is_err_and(|objection| {
            run.cycle.is_empty() || objection.to_string().starts_with("the permutation is not one")
        });
        assert!(is_refused, "a renaming of another model");
    }
}
