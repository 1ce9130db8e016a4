//! Systems that tell right from wrong, one by one.

use super::brute_force::{Reference, violates};
use isonomy::check::{Options, Verdict, check};
use isonomy::model::check_with;
use isonomy::model::checked::Demand;
use isonomy::model::syntax::{Fairness, Over};
use isonomy::symmetry::Reduction;
use isonomy::system::CompiledModel;

/// Two processes pass a token, by one event or the other.
const TOKEN: &str = "
type p: scalarset(2);
var h: p;
ruleset i: p do startstate h := i; end; end;
ruleset i: p; j: p do
  rule \"a\" h = i & i != j ==> h := j; end;
  rule \"b\" h = i & i != j ==> h := j; end;
end;
";

/// Every second one of four is set, and all are flipped at once, by one event or the other.
pub(crate) const FLIP: &str = "
type n: ring(4);
var x: array [n] of boolean;
ruleset i: n do startstate
  for j: n do x[j] := j = i | j = next(next(i)); end;
end; end;
rule \"a\" for j: n do x[j] := !x[j]; end; end;
rule \"b\" for j: n do x[j] := !x[j]; end; end;
";

/// A component whose smaller part has other potentials than the whole. No run is fair.
const POTENTIALS: &str = "
type t: scalarset(2);
var k: 0..2; h: t;
ruleset x: t do startstate k := 0; h := x; end; end;
rule \"a\" k = 0 ==> k := 1; end;
rule \"b\" k = 0 ==> k := 2; end;
ruleset y: t do
  rule \"c\" k = 1 & h != y ==> k := 2; h := y; end;
  rule \"d\" k = 2 & h != y ==> k := 1; h := y; end;
end;
rule \"e\" k = 2 ==> k := 0; end;
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

#[test]
fn right_is_told_from_wrong() {
    let demand = |fairness, over| Demand { fairness, over, declared: false };
    let global = demand(Fairness::Global, Over::Processes);
    let declared = Demand { declared: true, ..Demand::NONE };
    let strong = |over| demand(Fairness::Strong, over);
    let weak = |over| demand(Fairness::Weak, over);
    let alternates = "!(@a & G(@a -> X @b) & G(@b -> X @a))";
    let in_pairs = "!(@a & X @a & G((@a <-> X X @b) & (@b <-> X X @a)))";
    let served = "forall i: c. G F !waits[i]";
    for (text, formula, demand, violated) in [
        // The quotient takes both events in its one state; but 0 never passes by b.
        (TOKEN, alternates, global, false),
        (TOKEN, alternates, Demand::NONE, true),
        // Two frames of one concrete state differ by a symmetry of it.
        (FLIP, in_pairs, global, true),
        (POTENTIALS, "F false", declared, false),
        (POTENTIALS, "F false", Demand::NONE, true),
        // The server is one process; the events are several.
        (SERVER, served, Demand::NONE, true),
        (SERVER, served, weak(Over::Processes), true),
        (SERVER, served, strong(Over::Processes), true),
        (SERVER, served, weak(Over::Events), false),
        (SERVER, served, strong(Over::Events), false),
        (SERVER, served, global, false),
    ] {
        let context = format!("{formula} under {demand:?} of {text}");
        let model = check_with(text, &[], &[formula]);
        let model = model.unwrap_or_else(|errors| panic!("{errors:?}: {context}"));
        let reference = Reference::new(&model, 100).expect("it is small");
        assert_eq!(violates(&reference, &model.questions[0], demand), Some(violated), "{context}");
        let system = CompiledModel::new(&model);
        for reduction in [Reduction::Off, Reduction::Canonical, Reduction::Sorted] {
            if reduction == Reduction::Sorted && demand.fairness == Fairness::Global {
                continue;
            }
            let options = Options { reduction, demand, ..Options::default() };
            let found = check(&system, &model.questions[0], &options, &|_| None);
            let found = found.unwrap_or_else(|wrong| panic!("{wrong:?}: {context}"));
            let is_violated = matches!(found.verdict, Verdict::Violated(_));
            let holds = matches!(found.verdict, Verdict::Holds);
            assert!(is_violated == violated && holds != violated, "{:?}: {context}", found.verdict);
        }
    }
}
