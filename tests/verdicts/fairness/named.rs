//! Systems that tell right from wrong, one by one: each has a verdict that a checker with a certain mistake in it
//! does not have.

use compile::CompiledModel;
use engine::symmetry::Reduction;
use isonomy::check::{Engine, Options, Verdict, check};
use model::check_with;
use model::checked::{Demand, Model};
use model::syntax::{Fairness, Over};
use suites::fairness::brute_force::{Reference, violates};

/// Two processes pass a token, by one event or the other. Mistake: a component of the quotient that takes all
/// steps of its representatives is taken for globally fair.
const TOKEN: &str = "
type p: scalarset(2);
var h: p;
ruleset i: p do startstate h := i; end; end;
ruleset i: p; j: p do
  rule \"a\" h = i & i != j ==> h := j; end;
  rule \"b\" h = i & i != j ==> h := j; end;
end;
";

/// Every second one of four is set, and all are flipped at once, by one event or the other. Mistake: loop
/// groups without the symmetries of nodes.
pub(crate) const FLIP: &str = "
type n: ring(4);
var x: array [n] of boolean;
ruleset i: n do startstate
  for j: n do x[j] := j = i | j = next(next(i)); end;
end; end;
rule \"a\" for j: n do x[j] := !x[j]; end; end;
rule \"b\" for j: n do x[j] := !x[j]; end; end;
";

/// A component whose smaller part has other potentials than the whole: a search that begins in k = 2 comes to
/// k = 1 by way of k = 0, where no fair run stays. No run is fair. Mistake: the potentials of the whole are used in
/// the part.
const POTENTIALS: &str = "
type t: scalarset(2);
var k: 0..2; h: t;
ruleset x: t do startstate k := 2; h := x; end; end;
rule \"a\" k = 0 ==> k := 1; end;
rule \"b\" k = 0 ==> k := 2; end;
rule \"e\" k = 2 ==> k := 0; end;
ruleset y: t do
  rule \"c\" k = 1 & h != y ==> k := 2; h := y; end;
  rule \"d\" k = 2 & h != y ==> k := 1; h := y; end;
end;
justice \"in turn\": forall x: t. k = 0 | (k = 1 & h = x) | (k = 2 & h != x);
compassion \"not for ever\": (k = 0, false);
";

/// One of three is served again and again, the others wait.
const SERVER: &str = "
type c: scalarset(3);
var waits: array [c] of boolean;
startstate for i: c do waits[i] := true; end; end;
process i: c do
  rule \"ask\" !waits[i] ==> waits[i] := true; end;
end;
process server do
  ruleset i: c do
    rule \"serve\" waits[i] ==> waits[i] := false; end;
  end;
end;
";

/// Nothing ever changes, by one event or the other. Mistake: a component is taken for globally fair because
/// all successors of its states are in it, whatever the steps.
pub(crate) const PARALLEL: &str = "
var x: boolean;
startstate x := false; end;
rule \"a\" true ==> end;
rule \"b\" true ==> end;
";

/// Three processes do nothing, one after the other; of their steps one is kept. Mistake: steps are dropped by
/// symmetries of which loop groups are not told.
pub(crate) const IDLERS: &str = "
type p: scalarset(3); q: scalarset(2);
var x: array [p] of boolean; y: array [q] of boolean;
startstate for i: p do x[i] := false; end; for c: q do y[c] := false; end; end;
process i: p do rule \"tick\" !x[i] ==> end; end;
";

/// The same in a ring, where no two can be swapped. Mistake: steps are dropped by all symmetries, and loop groups
/// are told of swaps.
pub(crate) const RING_OF_IDLERS: &str = "
type p: ring(3); q: scalarset(2);
var x: array [p] of boolean; y: array [q] of boolean;
startstate for i: p do x[i] := false; end; for c: q do y[c] := false; end; end;
process i: p do rule \"tick\" !x[i] ==> end; end;
";

/// Somebody in a ring of three is chosen by who is chosen. If it is always the next one, then everybody chooses
/// and is chosen, but half of the pairs never occur. Mistake: what is owed to an event is looked up by
/// the classes of its indices, instead of its orbit.
const TRIANGLE: &str = "
type n: ring(3);
var h: n; forward: boolean;
ruleset x: n do startstate h := x; forward := true; end; end;
process server do
  ruleset i: n; j: n do
    rule \"go\" h = i & i != j ==> forward := next(i) = j; h := j; end;
  end;
end;
";

/// Two pointers turn together, and never meet all pairs. No run is just. Mistake: as above, for justice.
const PAIRS_JUST: &str = "
type n: ring(3);
var g: n; h: n;
ruleset x: n do startstate g := x; h := x; end; end;
rule \"turn\" true ==> g := next(g); h := next(h); end;
justice \"all pairs\": forall x, y: n. g = x & h = y;
";

/// The same for compassion.
const PAIRS_COMPASSIONATE: &str = "
type n: ring(3);
var g: n; h: n;
ruleset x: n do startstate g := x; h := x; end; end;
rule \"turn\" true ==> g := next(g); h := next(h); end;
compassion \"all pairs\": forall x, y: n. (g = x, g = x & h = y);
";

/// One of two may be let in, and is never served; or one goes aside. Mistake: of the places where somebody waits
/// in vain only some are removed, say those where one of the two waits, and the rest is believed.
const IN_VAIN: &str = "
type t: scalarset(2);
var k: 0..2; h: t;
ruleset x: t do startstate k := 0; h := x; end; end;
ruleset y: t do rule \"in\" k = 0 ==> k := 1; h := y; end; end;
rule \"out\" k = 1 ==> k := 0; end;
rule \"aside\" k = 0 ==> k := 2; end;
rule \"back\" k = 2 ==> k := 0; end;
compassion \"never\": forall x: t. (k = 1 & h = x, false);
";

/// Where somebody waits in vain others are served: without these places they wait in vain, too. Mistake: what is
/// left when places are removed is believed.
const LEVELS: &str = "
type t: scalarset(2);
var k: 0..3; h: t;
ruleset x: t do startstate k := 0; h := x; end; end;
rule \"first\" k = 0 ==> k := 1; end;
rule \"second\" k = 0 ==> k := 2; end;
rule \"third\" k = 0 ==> k := 3; end;
ruleset y: t do rule \"back\" k != 0 ==> k := 0; h := y; end; end;
compassion \"not here\": (k = 1, false);
compassion \"here\": forall x: t. (k = 2 & h = x, k = 1 & h = x);
";

/// Who is in is served or goes. A run may leave one of two out, but must not let him in. Mistake: the places to
/// remove are looked up by the names of representatives, where whoever is in has the same name.
pub(crate) const LEFT_OUT: &str = "
type t: scalarset(2);
var k: 0..2; h: t;
ruleset x: t do startstate k := 0; h := x; end; end;
ruleset y: t do rule \"in\" k = 0 ==> k := 1; h := y; end; end;
rule \"out\" k = 1 ==> k := 0; end;
rule \"serve\" k = 1 ==> k := 2; end;
rule \"done\" k = 2 ==> k := 0; end;
compassion \"served\": forall x: t. (k = 1 & h = x, k = 2 & h = x);
";

/// A system, a formula, what is demanded, and whether it is violated.
pub(crate) type Named = (&'static str, &'static str, Demand, bool);

const fn demand(fairness: Fairness, over: Over) -> Demand {
    Demand { fairness, over, declared: false }
}

pub(crate) const DECLARED: Demand = Demand { declared: true, ..Demand::NONE };
pub(crate) const WEAK: Demand = demand(Fairness::Weak, Over::Processes);
pub(crate) const STRONG: Demand = demand(Fairness::Strong, Over::Processes);
pub(crate) const WEAK_EVENTS: Demand = demand(Fairness::Weak, Over::Events);
const STRONG_EVENTS: Demand = demand(Fairness::Strong, Over::Events);
const GLOBAL: Demand = demand(Fairness::Global, Over::Processes);
const GLOBAL_DECLARED: Demand = Demand { declared: true, ..GLOBAL };

const ALTERNATES: &str = "!(@a & G(@a -> X @b) & G(@b -> X @a))";
const IN_PAIRS: &str = "!(@a & X @a & G((@a <-> X X @b) & (@b <-> X X @a)))";
const SERVED: &str = "forall i: c. G F !waits[i]";
/// Violated, if there is a fair run at all. (That something is tracked keeps symmetries from being all.)
const NO_RUN: &str = "F false";
const NO_RUN_TRACKED: &str = "forall c: q. F false";

pub(crate) const NAMED: [Named; 54] = [
    // The quotient takes both events in its one state; but 0 never passes by b.
    (TOKEN, ALTERNATES, GLOBAL, false),
    (TOKEN, ALTERNATES, Demand::NONE, true),
    (PARALLEL, "!G @a", GLOBAL, false),
    (PARALLEL, "!G @a", STRONG_EVENTS, false),
    (PARALLEL, "!G @a", STRONG, true),
    (PARALLEL, ALTERNATES, GLOBAL, true),
    // Two frames of one concrete state differ by a symmetry of it.
    (FLIP, IN_PAIRS, GLOBAL, true),
    (FLIP, ALTERNATES, GLOBAL, false),
    (POTENTIALS, NO_RUN, DECLARED, false),
    (POTENTIALS, NO_RUN, Demand::NONE, true),
    // The server is one process; the events are several.
    (SERVER, SERVED, Demand::NONE, true),
    (SERVER, SERVED, WEAK, true),
    (SERVER, SERVED, STRONG, true),
    (SERVER, SERVED, WEAK_EVENTS, false),
    (SERVER, SERVED, STRONG_EVENTS, false),
    (SERVER, SERVED, GLOBAL, false),
    (IDLERS, NO_RUN, WEAK, true),
    (IDLERS, NO_RUN_TRACKED, WEAK, true),
    (IDLERS, NO_RUN_TRACKED, STRONG, true),
    (IDLERS, NO_RUN_TRACKED, WEAK_EVENTS, true),
    (IDLERS, NO_RUN_TRACKED, STRONG_EVENTS, true),
    (IDLERS, NO_RUN_TRACKED, GLOBAL, true),
    (IDLERS, "forall i: p. G F @tick(i)", WEAK, false),
    (IDLERS, "forall distinct i, j: p. G F @tick(i) -> G F @tick(j)", Demand::NONE, true),
    (RING_OF_IDLERS, NO_RUN, WEAK, true),
    (RING_OF_IDLERS, NO_RUN_TRACKED, WEAK, true),
    (RING_OF_IDLERS, NO_RUN_TRACKED, STRONG, true),
    (RING_OF_IDLERS, NO_RUN_TRACKED, WEAK_EVENTS, true),
    (RING_OF_IDLERS, NO_RUN_TRACKED, STRONG_EVENTS, true),
    (RING_OF_IDLERS, NO_RUN_TRACKED, GLOBAL, true),
    (TRIANGLE, "G F !forward", Demand::NONE, true),
    (TRIANGLE, "G F !forward", STRONG, true),
    (TRIANGLE, "G F !forward", WEAK_EVENTS, true),
    (TRIANGLE, "G F !forward", STRONG_EVENTS, false),
    (TRIANGLE, "G F !forward", GLOBAL, false),
    (TRIANGLE, NO_RUN, STRONG_EVENTS, true),
    (PAIRS_JUST, NO_RUN, DECLARED, false),
    (PAIRS_JUST, NO_RUN, GLOBAL_DECLARED, false),
    (PAIRS_JUST, NO_RUN, GLOBAL, true),
    (PAIRS_COMPASSIONATE, NO_RUN, DECLARED, false),
    (PAIRS_COMPASSIONATE, NO_RUN, GLOBAL_DECLARED, false),
    (PAIRS_COMPASSIONATE, NO_RUN, STRONG_EVENTS, true),
    (IN_VAIN, "!(G F k = 1)", DECLARED, false),
    (IN_VAIN, "forall c: t. !(G F (k = 1 & h = c))", DECLARED, false),
    (IN_VAIN, "forall c: t. !(G F (k = 1 & h = c))", Demand::NONE, true),
    (IN_VAIN, "forall c: t. F G k != 2", DECLARED, true),
    (IN_VAIN, NO_RUN, GLOBAL_DECLARED, false),
    (LEVELS, "!(G F k = 2)", DECLARED, false),
    (LEVELS, "forall c: t. !(G F (k = 2 & h = c))", DECLARED, false),
    (LEVELS, "forall c: t. !(G F (k = 2 & h = c))", STRONG_EVENTS, true),
    (LEVELS, "!(G F k = 3)", DECLARED, true),
    (LEFT_OUT, "forall c: t. (G F k = 2) -> G F (k = 2 & h = c)", DECLARED, true),
    (LEFT_OUT, "forall c: t. (G F (k = 1 & h = c)) -> G F (k = 2 & h = c)", DECLARED, false),
    (LEFT_OUT, "forall c: t. (G F (k = 1 & h = c)) -> G F (k = 2 & h = c)", WEAK_EVENTS, true),
];

pub(crate) fn model(text: &str, formula: &str) -> Model {
    let model = check_with(text, &[], &[formula]);
    model.unwrap_or_else(|errors| panic!("{errors:?}: {formula} of {text}"))
}

#[test]
fn right_is_told_from_wrong() {
    let mut faults = Vec::new();
    for (text, formula, demand, violated) in NAMED {
        let context = format!("{formula} under {demand:?} of {text}");
        let model = model(text, formula);
        let reference = Reference::new(&model, 100).expect("it is small");
        let said = violates(&reference, &model.questions[0], demand);
        if said != Some(violated) {
            faults.push(format!("brute force, violated {said:?}: {context}"));
        }
        let system = CompiledModel::new(&model);
        for reduction in [Reduction::Off, Reduction::Canonical, Reduction::Sorted] {
            if reduction == Reduction::Sorted && demand.fairness == Fairness::Global {
                continue;
            }
            for engine in [Engine::Auto, Engine::Sets] {
                let options = Options { reduction, demand, engine, ..Options::default() };
                let found = check(&system, &model.questions[0], &options, &isonomy::Watch::none());
                let found = found.unwrap_or_else(|wrong| panic!("{wrong:?}: {context}"));
                let is_right = match &found.verdict {
                    Verdict::Holds => !violated,
                    Verdict::Violated(_) => violated,
                    _ => false,
                };
                if !is_right {
                    faults
                        .push(format!("{engine:?} {reduction:?}, {:?}: {context}", found.verdict));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
