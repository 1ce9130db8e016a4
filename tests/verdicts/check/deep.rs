//! What is found deep below.

use automata::Limits;
use compile::CompiledModel;
use engine::quotient::Quotient;
use isonomy::check::{Engine, Options, Question, Verdict};
use model::check_with;

/// What is found deep below must not make anybody look at everything in order to tell of it.
#[test]
fn telling_of_a_run_costs_as_much_as_finding_it() {
    // Six counters of ten values: a million states, and the only loop is where all have run out.
    let text = "var x: array [1..6] of 0..9;
        startstate for k: 1..6 do x[k] := 0 end end;
        ruleset k: 1..6 do rule \"count\" x[k] < 9 ==> x[k] := x[k] + 1 end end;
        rule \"rest\" forall k: 1..6 do x[k] = 9 end ==> end;";
    let model = check_with(text, &[], &["F x[1] > 9"]).expect("a model");
    let system = CompiledModel::new(&model);
    let options = Options { engine: Engine::Components, ..Options::default() };
    let question = Question::new(&system, &model.questions[0], &options, Limits::default());
    let question = question.expect("few atoms");
    let quotient = Quotient::new(&system, options.reduction);
    let instance =
        question.instances(quotient.structure().indices()).next().expect("the empty tuple");
    let answer = question.answer(&quotient, &instance, &|_| None);
    let answer = answer.expect("the judge agrees");
    let Verdict::Violated(found) = answer.verdict else { panic!("{:?}", answer.verdict) };
    assert_eq!(found.run.stem.len() + found.run.cycle.len(), 6 * 9 + 1);
    assert!(quotient.representatives() < 50_000, "{}", quotient.representatives());
}
