//! Where nothing is permuted, products make their steps anew each time: everything is as from stored steps, as long as there
//! are numbers for the nodes.

use automata::{Limits, StopReason};
use compile::CompiledModel;
use engine::fairness::rules::Exact;
use engine::quotient::{
    Outline, PlainEdge, PlainWalk, PlainWalker, Quotient, Representative, Unbuilt,
};
use engine::symmetry::Reduction;
use isonomy::check::{Options, Question, Shortening};
use model::check_with;
use model::checked::Demand;
use model::syntax::{Fairness, Over};
use run::Progress;
use support::headers::fixtures;

/// A plain walk that leads to a state with this number, wherever it should lead.
struct Astray<'q>(PlainWalker<'q>, u32);

impl PlainWalk for Astray<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Unbuilt>> {
        self.0.next_start()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.0.state(of)
    }

    fn edges(
        &mut self,
        of: Representative,
        each: &mut dyn FnMut(PlainEdge<'_>),
    ) -> Result<Outline, Unbuilt> {
        let target = Representative(self.1);
        self.0.edges(of, &mut |edge| each(PlainEdge { target, ..edge }))
    }

    fn action(&self, action: u32) -> (u32, &[i64]) {
        self.0.action(action)
    }
}

#[test]
fn plain_products_are_like_stored_ones() {
    let mut plain = 0;
    for fixture in fixtures() {
        let model = fixture.model(&[]);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global] {
            let demand = Demand { fairness, over: Over::Processes, declared: true };
            // What is found first is compared.
            let shortening = Shortening::Off;
            let options =
                Options { reduction: Reduction::Off, demand, shortening, ..Options::default() };
            let system = CompiledModel::new(&model);
            for formula in &model.formulas {
                let Ok(question) = Question::new(&system, formula, &options, Limits::default())
                else {
                    continue;
                };
                let quotient = Quotient::new(&system, options.reduction);
                let indices = quotient.structure().indices();
                for instance in question.instances(indices).take(2) {
                    plain += usize::from(quotient.is_plain());
                    let one = question.answer(&quotient, &instance, &few);
                    let walk = quotient.walker();
                    let other = question.answer_by::<_, Exact>(&quotient, walk, &instance, &few);
                    let (one, other) = (one.expect("judged"), other.expect("judged"));
                    let about = format!("{fairness:?} {}", formula.text);
                    assert_eq!(
                        format!("{:?}", one.verdict),
                        format!("{:?}", other.verdict),
                        "{about}"
                    );
                    assert_eq!(one.touched, other.touched, "{about}");
                    let counts = |one: &isonomy::check::Answer| {
                        let of = one.statistics;
                        (of.product_nodes, of.product_edges, of.components)
                    };
                    assert_eq!(counts(&one), counts(&other), "{about}");
                }
            }
        }
    }
    assert!(plain > 50, "{plain} were plain");
}

/// A limit, and no panic: four billion states are more than this test can have.
#[test]
fn a_search_stops_when_numbers_are_used_up() {
    let text = "var x: 0..1; startstate x := 0; end; rule \"go\" x := 1 - x; end;";
    // No automaton of one state will do: with one the numbers would suffice.
    let model = check_with(text, &[], &["G(x = 0 -> X F G x = 1)"]).expect("a model");
    let system = CompiledModel::new(&model);
    for fairness in [Fairness::None, Fairness::Weak, Fairness::Global] {
        let demand = Demand { fairness, over: Over::Events, declared: true };
        let options = Options { reduction: Reduction::Off, demand, ..Options::default() };
        let question = Question::new(&system, &model.questions[0], &options, Limits::default());
        let question = question.expect("few atoms");
        let quotient = Quotient::new(&system, options.reduction);
        let indices = quotient.structure().indices();
        let instance = question.instances(indices).next().expect("the empty tuple");
        let walk = Astray(PlainWalker::new(&quotient), u32::MAX);
        let answer = question.answer_plainly(&quotient, walk, &instance, &|_| None);
        let verdict = answer.expect("nothing is judged").verdict;
        let limit = StopReason::States(u32::MAX as usize);
        let expected = format!("Unknown(Stopped({limit:?}))");
        assert_eq!(format!("{verdict:?}"), expected, "{fairness:?}");
    }
}

/// Ends a search that becomes too large for a test.
fn few(now: &Progress) -> Option<StopReason> {
    (now.product_nodes > 3000).then_some(StopReason::Interrupted)
}
