//! Formulas that hold for the wrong reason.

use compile::CompiledModel;
use isonomy::check::{Options, Verdict, Warning, check_all};
use model::check_with;

/// A counter that never gets to 3; nobody is ever `Lost`.
const MODEL: &str = "
type client: scalarset(3);
var n: 0..3;
var st: array [client] of enum { Idle, Busy, Lost };
startstate n := 0; for c: client do st[c] := Idle; end; end
rule \"count\" n := (n + 1) % 3; end
ruleset c: client do rule \"toggle\" st[c] := st[c] = Idle ? Busy : Idle; end end
";

/// If the assumptions cut every run, then whatever is claimed of all runs is true of none.
#[test]
fn of_models_without_runs() {
    let model = |assumption: &str| {
        format!(
            "var x: 0..3; startstate x := 0 end; rule \"up\" x < 3 ==> x := x + 1 end; {assumption}"
        )
    };
    for (assumption, expected) in [
        ("assume x < 2;", vec![Warning::NoRun]),
        ("assume x < 2; justice x = 3;", vec![Warning::NoRun]),
        ("justice x = 2;", vec![Warning::NoFairRun]),
        ("assume x < 4;", vec![]),
    ] {
        let text = model(assumption);
        let formula = if expected.is_empty() { "F x = 3" } else { "F x > 3" };
        let model = check_with(&text, &[], &[formula]).expect(assumption);
        let options = Options { finds_vacuity: true, ..Options::default() };
        let system = CompiledModel::new(&model);
        let outcome =
            check_all(&system, &[&model.questions[0]], &options, &isonomy::Watch::none()).pop();
        let outcome = outcome.expect("one outcome").expect("nothing is misjudged");
        assert!(matches!(outcome.verdict, Verdict::Holds), "{assumption}: {:?}", outcome.verdict);
        assert_eq!(outcome.warnings, expected, "{assumption}");
    }
}

#[test]
fn of_implications_and_of_nothing() {
    let never = |text: &str| vec![Warning::Vacuous(text.to_owned())];
    for (formula, expected) in [
        // Both sides are conditions: one atom.
        ("G (n = 3 -> n = 0)", never("n = 3")),
        ("G (n = 2 -> n < 3)", vec![]),
        ("G !(n < 3 -> n = 3)", vec![]),
        // A temporal right side.
        ("G (n = 3 -> F n = 0)", never("n = 3")),
        ("G ((n = 3 & X n = 0) -> F n = 1)", never("(n = 3) & X (n = 0)")),
        ("forall c: client. G (st[c] = Lost -> F st[c] = Idle)", never("st[c] = Lost")),
        ("forall c: client. G (st[c] = Busy -> (st[c] = Busy W @toggle(c)))", vec![]),
        // An event that never happens is refused; one that happens nowhere where it matters is not.
        ("G ((@count & n = 3) -> X n = 0)", never("@count & (n = 3)")),
        // Of nested ones, the outermost.
        ("G (n = 3 -> (n = 2 -> F n = 1))", never("n = 3")),
        ("G (F n = 1 -> (n = 3 -> X n = 0)) | G F n = 9 - 6", never("n = 3")),
        // Nothing is demanded of the right side here.
        ("!F !(n = 3 -> X n = 0)", never("n = 3")),
        ("(n = 0) xor (n = 3 -> X n = 0) xor (n = 0)", vec![]),
        // Infinitely often.
        ("(G F n = 3) -> (G F n = 1)", never("G F (n = 3)")),
        // What has nothing to do with the model.
        ("F n = 1 | G !(n = 1)", vec![Warning::Tautology]),
        ("forall distinct a, b, c, d: client. F false", vec![Warning::NoInstance]),
    ] {
        let model = check_with(MODEL, &[], &[formula]).expect(formula);
        let system = CompiledModel::new(&model);
        let options = Options { finds_vacuity: true, ..Options::default() };
        let outcome =
            check_all(&system, &[&model.questions[0]], &options, &isonomy::Watch::none()).pop();
        let outcome = outcome.expect("one outcome").expect("nothing is misjudged");
        if !formula.contains("xor") {
            assert!(matches!(outcome.verdict, Verdict::Holds), "{formula}: {:?}", outcome.verdict);
        }
        assert_eq!(outcome.warnings, expected, "{formula}");
    }
}
