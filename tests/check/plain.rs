//! Where nothing is permuted, products read their steps off the quotient: everything is as from stored steps.

use super::headers::fixtures;
use isonomy::automata::Limits;
use isonomy::check::{Options, Question};
use isonomy::model::checked::Demand;
use isonomy::model::interpret::Failure;
use isonomy::model::syntax::{Fairness, Over};
use isonomy::quotient::{Outline, Quotient, Representative, Tracked, TrackedEdge, Walk};
use isonomy::symmetry::{Permutation, Point, Reached, Reduction};
use isonomy::system::CompiledModel;

/// The same walk, which does not say that it is plain.
struct Stored<'q>(Tracked<'q>);

impl Walk for Stored<'_> {
    fn next_start(&mut self) -> Option<Result<Representative, Failure>> {
        self.0.next_start()
    }

    fn state(&mut self, of: Representative) -> &[u64] {
        self.0.state(of)
    }

    fn starts_with(&mut self, start: Representative, l0: &[Point]) -> Vec<Reached> {
        self.0.starts_with(start, l0)
    }

    fn tracked_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Failure> {
        self.0.tracked_edges(of, tuple)
    }

    fn unfolded_edges(
        &mut self,
        of: Representative,
        tuple: &[Point],
    ) -> Result<Vec<TrackedEdge>, Failure> {
        self.0.unfolded_edges(of, tuple)
    }

    fn symmetries(&mut self, of: Representative, tuple: &[Point]) -> Vec<Permutation> {
        self.0.symmetries(of, tuple)
    }

    fn outline(&mut self, of: Representative) -> Result<Outline, Failure> {
        self.0.outline(of)
    }
}

#[test]
fn plain_products_are_like_stored_ones() {
    let mut plain = 0;
    for fixture in fixtures() {
        let model = fixture.model(&[]);
        for fairness in [Fairness::None, Fairness::Weak, Fairness::Strong, Fairness::Global] {
            let demand = Demand { fairness, over: Over::Processes, declared: true };
            let options = Options { reduction: Reduction::Off, demand, ..Options::default() };
            let system = CompiledModel::new(&model);
            for formula in &model.formulas {
                let Ok(question) = Question::new(&system, formula, &options, Limits::default())
                else {
                    continue;
                };
                let quotient = Quotient::new(&system, options.reduction, options.policy);
                let indices = quotient.structure().indices();
                for instance in question.instances(indices).take(2) {
                    let walk = Tracked::new(&quotient);
                    plain += usize::from(walk.is_plain());
                    let mut watch = few();
                    let one = question.answer(&quotient, walk, &instance, &mut watch);
                    let walk = Stored(Tracked::new(&quotient));
                    let mut watch = few();
                    let other = question.answer(&quotient, walk, &instance, &mut watch);
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

/// Ends a search that becomes too large for a test.
fn few() -> impl FnMut(&isonomy::search::Statistics) -> Option<isonomy::automata::StopReason> {
    |now| (now.nodes > 3000).then_some(isonomy::automata::StopReason::Interrupted)
}
