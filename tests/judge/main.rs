//! The judge of counterexamples: tables of right and wrong ones, and random runs of random models,
//! judged a second time by other means.

mod arguments;
mod claims;
mod laps;
mod random;
mod why;

use judge::{judge, letters, walk};
use model::check;
use model::checked::{Atom, Formula, LocalId, Model};
use model::interpret::{Event, Interpreter, Process, State};
use model::reference::{Binding, Run, Step};
use model::reference::{ModelReference, Objection};
use model::value::{Scalar, Value};
use std::collections::{BTreeSet, HashMap};
use std::mem::discriminant;

/// Clients ask a server for the one key.
const CONTROLLER: &str = "
    type client: scalarset(3);
    var st: array [client] of enum { I, A, K };
    startstate for c: client do st[c] := I; end; end;
    process c: client do
      rule \"ask\" st[c] = I ==> st[c] := A; end;
      rule \"leave\" st[c] = K ==> st[c] := I; end;
    end;
    process server do
      ruleset c: client do
        rule \"grant\" st[c] = A & (forall d: client do st[d] != K end) ==> st[c] := K; end;
      end;
    end;";

/// Counts to two and stops there: what an `assume` statement abandons is no step. Start 0 to 2.
const COUNTER: &str = "
    var x: 0..2;
    ruleset n: 0..2 do startstate x := n; end; end;
    rule \"up\" x < 2 ==> x := x + 1; end;
    rule \"try\" x = 2 ==> x := 0; assume x = 1; end;";

/// From 2 there is only a step that is cut, so that 2 is no state of the system.
const ASSUMING: &str = "
    var x: 0..3;
    ruleset n: 0..3 do startstate x := n; end; end;
    rule \"up\" x < 3 ==> x := x + 1; end;
    rule \"back\" x = 1 ==> x := 0; end;
    assume x < 3;";

/// Two single processes.
const CLOCK: &str = "
    var x: boolean;
    startstate x := false; end;
    process tick do rule \"on\" !x ==> x := true; end; end;
    process tock do rule \"off\" x ==> x := false; end; end;";

/// One event, two rules, two arguments; members of a range as processes.
const PAIRS: &str = "
    var x: 0..1; last: 1..2;
    startstate x := 0; end;
    process i: 1..2 do
      ruleset b: boolean do
        rule \"go\" b = (x = 0) ==> x := 1; last := i; end;
        rule \"go\" b = (x = 0) ==> x := 0; last := i; end;
      end;
    end;";

/// Fails in many ways: in state 0 nothing does, in state 1 a body, in state 2 a guard, in state 3 an
/// assumption.
const FAILING: &str = "
    var x: 0..3; u: 0..1; v: 0..1;
    ruleset n: 0..3 do startstate x := n; end; end;
    rule \"to\" x = 0 ==> x := 1; end;
    rule \"far\" x = 0 ==> x := 3; end;
    rule \"back\" x = 1 ==> x := 0; end;
    rule \"body\" x = 1 ==> v := u + 0; x := 0; end;
    rule \"guard\" x = 2 & u = 1 ==> x := 0; end;
    rule \"idle\" x = 2 ==> x := 2; end;
    assume x != 3 | u = 1;";

/// In its only state a body fails.
const STUCK: &str = "
    var u: 0..1;
    startstate undefine u; end;
    rule \"body\" true ==> u := u + 0; end;";

/// What is claimed.
struct Claim {
    binding: Binding,
    run: Run,
}

/// Makes a claim wrong, or leaves it as it is.
type Change = fn(&mut Claim);

/// (model, formula, values by position in their types, run, change, what the judge says)
type Row = (&'static str, &'static str, &'static str, &'static str, Change, &'static str);

const ACCEPTED: &str = "accepted";
const SATISFIED: &str = "the run satisfies the formula";
const ANSWERED: &str = "forall c: client. G(@ask(c) -> F @grant(c))";
const ACCESS: &str = "forall c: client. G(st[c] = A -> F st[c] = K)";
const EXCLUSION: &str = "forall distinct c, d: client. G !(st[c] = A & st[d] = A)";
const STARVES: &str = "ask(client_0) | ask(client_1) grant(client_1) leave(client_1)";
const LAP: &str = "| ask(client_0) grant(client_0) leave(client_0)";
const TWICE: &str = "go(1,true)>x=1 go(2,false)>x=1 | go(2,false)>x=1";
const BOTH: &str = "ask(client_0) | ask(client_1) grant(client_1) leave(client_1)";

fn keep(_: &mut Claim) {}

/// Formulas, and runs of the system.
const VERDICTS: &[Row] = &[
    // Tracked variables, in states and in arguments.
    (CONTROLLER, ACCESS, "c=0", STARVES, keep, ACCEPTED),
    (CONTROLLER, ACCESS, "c=1", STARVES, keep, SATISFIED),
    (CONTROLLER, ACCESS, "c=2", STARVES, keep, SATISFIED),
    (CONTROLLER, ANSWERED, "c=0", STARVES, keep, ACCEPTED),
    (CONTROLLER, ANSWERED, "c=1", STARVES, keep, SATISFIED),
    (CONTROLLER, EXCLUSION, "c=0 d=1", BOTH, keep, ACCEPTED),
    (CONTROLLER, EXCLUSION, "d=0 c=1", BOTH, keep, ACCEPTED),
    (CONTROLLER, EXCLUSION, "c=0 d=2", BOTH, keep, SATISFIED),
    // What need not be distinct may be equal.
    (CONTROLLER, "forall c, d: client. st[c] = A | X st[d] = I", "c=0 d=0", LAP, keep, ACCEPTED),
    // Events, with and without arguments, at their positions.
    (CONTROLLER, "G !@grant", "", LAP, keep, ACCEPTED),
    (CONTROLLER, "G !@grant(_)", "", LAP, keep, ACCEPTED),
    (CONTROLLER, "X @grant(_)", "", LAP, keep, SATISFIED),
    (CONTROLLER, "X X @grant(_)", "", LAP, keep, ACCEPTED),
    (CONTROLLER, "X X X X @grant(_)", "", LAP, keep, SATISFIED),
    (CONTROLLER, "G (@ask | @grant)", "", LAP, keep, ACCEPTED),
    (CONTROLLER, "G (@ask | @grant | @leave)", "", LAP, keep, SATISFIED),
    // Who acts.
    (CONTROLLER, "forall c: client. G !@by(c)", "c=0", LAP, keep, ACCEPTED),
    (CONTROLLER, "forall c: client. G !@by(c)", "c=1", LAP, keep, SATISFIED),
    (CONTROLLER, "G !@by(server)", "", LAP, keep, ACCEPTED),
    (CONTROLLER, "@by(server)", "", LAP, keep, ACCEPTED),
    (CONTROLLER, "!@by(server) & X @by(server)", "", LAP, keep, SATISFIED),
    (CONTROLLER, "forall c: client. G (@grant(c) -> @by(c))", "c=0", LAP, keep, ACCEPTED),
    (CONTROLLER, "G @by(_)", "", LAP, keep, SATISFIED),
    (CLOCK, "@by(tick) & X @by(tock)", "", "| on off", keep, SATISFIED),
    (CLOCK, "G !@by(tock) | @by(tock)", "", "| on off", keep, ACCEPTED),
    (CLOCK, "X @by(tick)", "", "| on off", keep, ACCEPTED),
    // U and R: the stem counts.
    (CONTROLLER, "!@grant U @ask(_)", "", STARVES, keep, SATISFIED),
    (CONTROLLER, "@ask U @grant", "", STARVES, keep, SATISFIED),
    (CONTROLLER, "@grant R @ask", "", STARVES, keep, ACCEPTED),
    (CONTROLLER, "@grant R !@leave", "", STARVES, keep, SATISFIED),
    // A state without steps is followed by itself, and nobody acts.
    (COUNTER, "G F @up", "", "up up | -", keep, ACCEPTED),
    (COUNTER, "F G x = 2", "", "up up | -", keep, SATISFIED),
    (COUNTER, "G @by(_)", "", "up up | -", keep, ACCEPTED),
    (COUNTER, "G @by(_)", "", "2: | -", keep, ACCEPTED),
    (COUNTER, "G !@by(system)", "", "2: | -", keep, SATISFIED),
    (COUNTER, "G x != 2", "", "1: up - | - -", keep, ACCEPTED),
    (COUNTER, "X X x = 1", "", "up up | -", keep, ACCEPTED),
    (
        COUNTER,
        "G F @up",
        "",
        "up | -",
        keep,
        "no process is executed in step 2, but there is a step to take",
    ),
    // Assumptions cut steps, and remove states.
    (ASSUMING, "F x = 2", "", "| up back", keep, ACCEPTED),
    (ASSUMING, "G x != 1", "", "1: | back up", keep, ACCEPTED),
    (
        ASSUMING,
        "G x != 2",
        "",
        "up up | -",
        keep,
        "no process is executed in step 3, but there are steps, all to states that violate an assumption",
    ),
    (
        ASSUMING,
        "G x != 2",
        "",
        "up up up | -",
        keep,
        "step 3 leads to a state that violates an assumption",
    ),
    (
        ASSUMING,
        "G x != 3",
        "",
        "3: | -",
        keep,
        "the run begins in a state that violates an assumption",
    ),
    // Rules of one event that lead to different states; processes of a range; constants.
    (PAIRS, "G !@go(1, true)", "", TWICE, keep, ACCEPTED),
    (PAIRS, "G !@go(1, false)", "", TWICE, keep, SATISFIED),
    (PAIRS, "G !@go(_, false)", "", TWICE, keep, ACCEPTED),
    (PAIRS, "X G @by(2)", "", TWICE, keep, SATISFIED),
    (PAIRS, "G @by(2)", "", TWICE, keep, ACCEPTED),
    (
        PAIRS,
        "forall i: (1..2). F G !@by(i)",
        "i=1",
        "go(1,true)>x=0 go(2,true)>x=0 | go(2,true)>x=0",
        keep,
        ACCEPTED,
    ),
    (
        PAIRS,
        "forall i: (1..2). F G !@by(i)",
        "i=0",
        "go(1,true)>x=0 go(2,true)>x=0 | go(2,true)>x=0",
        keep,
        SATISFIED,
    ),
    // Failures: met, or passed by.
    (
        PAIRS,
        "G last = 1",
        "",
        "go(1,true)>x=0 | go(1,true)>x=0",
        keep,
        "`last = 1` has no value in state 0: `last` is undefined",
    ),
    (
        PAIRS,
        "G !@by(2) | F last = 2",
        "",
        "go(1,true)>x=0 | go(1,true)>x=0",
        keep,
        "`last = 2` has no value in state 0: `last` is undefined",
    ),
    (
        PAIRS,
        "X (isundefined(last) | last = 1)",
        "",
        "go(2,true)>x=0 | go(1,true)>x=0 go(2,true)>x=0",
        keep,
        ACCEPTED,
    ),
    (FAILING, "G x = 0", "", "| to back", keep, ACCEPTED),
    (FAILING, "G x = 0", "", "2: | idle", keep, "step 1 cannot be checked: `u` is undefined"),
    (FAILING, "G x = 0", "", "far | -", keep, "step 1 cannot be checked: `u` is undefined"),
    (
        FAILING,
        "G x = 0",
        "",
        "3: | -",
        keep,
        "an assumption fails in the first state: `u` is undefined",
    ),
    (STUCK, "F false", "", "| -", keep, "step 1 cannot be checked: `u` is undefined"),
];

/// Claims about runs and values that are not true.
const WRONG: &[Row] = &[
    (CONTROLLER, ACCESS, "", STARVES, keep, "`c` has no value"),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.binding.push(claim.binding[0]),
        "`c` has more than one value",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.binding.push((LocalId(70), claim.binding[0].1)),
        "a value is given to local 70, which is not tracked",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.binding[0].1 = Scalar::Number(0),
        "the value of `c` is not of its type",
    ),
    (CONTROLLER, ACCESS, "c=3", STARVES, keep, "the value of `c` is not of its type"),
    (
        CONTROLLER,
        EXCLUSION,
        "c=1 d=1",
        BOTH,
        keep,
        "`c` and `d` must be distinct, but have the same value",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        "ask(client_0)",
        keep,
        "the run ends, but the formula is about infinite runs",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| {
            claim.run.stem.remove(0);
        },
        "the run does not begin in a start state",
    ),
    // Not even a state of this model.
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.run.stem[0].state = State(Vec::new()),
        "the run does not begin in a start state",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.run.cycle[1].state = State(Vec::new()),
        "step 2 is no step of the model",
    ),
    // The right event by another process; another argument; another state.
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| act(&mut claim.run.stem[0]).0 = by(&claim.run.cycle[0]),
        "step 1 is no step of the model",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| act(&mut claim.run.cycle[1]).1.arguments = arguments(&claim.run.stem[0]),
        "step 3 is no step of the model",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.run.cycle[2].state = claim.run.cycle[0].state.clone(),
        "step 3 is no step of the model",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.run.cycle.swap(0, 1),
        "step 1 is no step of the model",
    ),
    // A step is left out.
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| {
            claim.run.cycle.remove(1);
        },
        "step 2 is no step of the model",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.run.cycle[2].action = None,
        "step 4 changes the state, but no process is executed",
    ),
    // An abandoned step, and one whose body fails.
    (
        COUNTER,
        "G x = 0",
        "",
        "1: up | -",
        |claim| act(&mut claim.run.stem[0]).1.event.0 += 1,
        "step 1 is no step of the model",
    ),
    (
        FAILING,
        "G x = 0",
        "",
        "| to back",
        |claim| act(&mut claim.run.cycle[1]).1.event.0 += 1,
        "step 2 cannot be checked: `u` is undefined",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        "ask(client_0) | ask(client_1)",
        keep,
        "the cycle does not lead back to its first state",
    ),
    (
        CONTROLLER,
        ACCESS,
        "c=0",
        STARVES,
        |claim| claim.run.stem.append(&mut claim.run.cycle.drain(..1).collect()),
        "the cycle does not lead back to its first state",
    ),
];

/// Who does what in a step.
fn act(step: &mut Step) -> &mut (Process, Event) {
    step.action.as_mut().expect("somebody acts")
}

fn by(step: &Step) -> Process {
    step.action.as_ref().expect("somebody acts").0
}

fn arguments(step: &Step) -> Vec<Value> {
    step.action.as_ref().expect("somebody acts").1.arguments.clone()
}

#[test]
fn counterexamples_are_judged() {
    let mut met = HashMap::new();
    for row in VERDICTS.iter().chain(WRONG) {
        if let Err(objection) = judge_row(row) {
            met.insert(discriminant(&objection), objection);
        }
    }
    assert_eq!(met.len(), 17, "not every objection occurs: {met:?}");
}

fn judge_row(&(text, formula, binding, run, change, expected): &Row) -> Result<(), Objection> {
    let model = checked(&format!("{text}\nltl \"judged\": {formula};"));
    let property = model.formulas.last().expect("there is a formula");
    let binding_values = values(&model, property, binding);
    let mut claim = Claim { binding: binding_values, run: follow(&model, run) };
    change(&mut claim);
    let [found, again] =
        both(&model).map(|reference| judge(&reference, property, &claim.binding, &claim.run));
    assert_eq!(found, again, "{formula} with {binding:?} on {run}");
    let shown = found.as_ref().map_or_else(Objection::to_string, |()| ACCEPTED.to_owned());
    assert_eq!(shown, expected, "{formula} with {binding:?} on {run}");
    found
}

/// The values `c=0 d=1` of tracked variables, by their position in their types.
fn values(model: &Model, property: &Formula, text: &str) -> Binding {
    let value = |pair: &str| {
        let (name, k) = pair.split_once('=').expect("a name and a value");
        let local = property.locals.iter().position(|local| local.name == name).expect("a local");
        let k = k.parse().expect("a position");
        (LocalId(local as u32), Scalar::nth(&model.types, property.locals[local].of, k))
    };
    text.split_whitespace().map(value).collect()
}

/// The run `n: stem | cycle` from the n-th start state (0 if not said), each step given by its event,
/// and, with `>x=1`, by something that is shown of the state behind it; `-` is a stutter, possible or
/// not.
fn follow(model: &Model, text: &str) -> Run {
    let interpreter = Interpreter::new(model);
    let (start, steps) = text.split_once(": ").unwrap_or(("0", text));
    let start = interpreter.starts().nth(start.parse().expect("a number"));
    let mut state = start.expect("there is a start state").expect("it does not fail").state;
    let mut take = |shown: &str| {
        let mut action = None;
        let mut target = state.clone();
        if shown != "-" {
            let (event, seen) = shown.split_once('>').unwrap_or((shown, ""));
            let rules = 0..model.rules.len();
            let instances = rules.filter_map(|k| interpreter.instances_of_rule(&state, k).ok());
            let instances = instances.flatten();
            let named = instances.filter(|one| one.event.show(model).replace(' ', "") == event);
            let fired = named.filter_map(|one| {
                let target = interpreter.fire(&state, &one).ok()?.target?;
                let is_seen = target.show(model).replace(' ', "").contains(seen);
                is_seen.then_some(((one.process, one.event), target))
            });
            let mut fired = fired.collect::<Vec<_>>().into_iter();
            let step = fired.next().unwrap_or_else(|| panic!("{text}: no step {shown}"));
            (action, target) = (Some(step.0), step.1);
        }
        let state = std::mem::replace(&mut state, target);
        Step { state, action }
    };
    let (stem, cycle) = steps.split_once('|').unwrap_or((steps, ""));
    let stem = stem.split_whitespace().map(&mut take).collect();
    let cycle = cycle.split_whitespace().map(&mut take).collect();
    Run { stem, cycle, end: state }
}

fn checked(text: &str) -> Model {
    check(text, &[]).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// The model without needless evaluations of guards, and with all of them.
fn both(model: &Model) -> [ModelReference<'_>; 2] {
    [ModelReference::new(model), ModelReference::paranoid(model)]
}

#[test]
fn runs_that_end_are_walked() {
    let model = checked(ASSUMING);
    let walk = |model, run: &Run| walk(&ModelReference::new(model), run);
    // Its last state is removed, but a property of states may be violated there.
    assert_eq!(walk(&model, &follow(&model, "up up")), Ok(()));
    assert_eq!(walk(&model, &follow(&model, "2: ")), Ok(()));
    assert_eq!(walk(&model, &follow(&model, "3: ")), Err(Objection::StartCut));
    let cut = Err(Objection::StepCut { position: 2 });
    assert_eq!(walk(&model, &follow(&model, "up up up")), cut);
    let mut other = follow(&model, "up");
    other.end = follow(&model, "").end;
    assert_eq!(walk(&model, &other), Err(Objection::NotAStep { position: 0 }));
}

#[test]
fn letters_say_which_atoms_are_true() {
    let model = checked(&format!("{COUNTER} ltl \"judged\": x = 1 | X @up | G F @by(_);"));
    let run = follow(&model, "up up | -");
    let formula = &model.formulas[0];
    let text = |atom: ltl::Atom| match &formula.atoms[atom.index()] {
        Atom::State { text, .. } | Atom::Event { text, .. } | Atom::By { text, .. } => &text[..],
    };
    let letters = letters(&ModelReference::new(&model), formula, &[], &run).expect("nothing fails");
    let found = letters.iter().map(|letter| letter.atoms().map(text).collect::<BTreeSet<_>>());
    let expected = [&["@up", "@by(_)"][..], &["x = 1", "@up", "@by(_)"], &[]];
    let expected = expected.map(|atoms| atoms.iter().copied().collect());
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
