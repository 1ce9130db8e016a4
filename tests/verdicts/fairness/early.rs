//! A violation is reported when it is complete, not when everything is explored.

use compile::CompiledModel;
use isonomy::check::{Options, Verdict, check};
use model::checked::Demand;
use model::syntax::{Fairness, Over};
use model::{Definition, check_with};

/// Gyuris and Sistla's resource controller: their search explored 91 nodes, whatever the number of clients.
#[test]
fn starving_takes_few_clients() {
    let text = include_str!("../../../fixtures/models/resource_controller.m");
    let mut explored = Vec::new();
    for clients in [10, 50, 100, 500] {
        let clients = Definition { name: "N".to_owned(), value: clients.to_string() };
        let model = check_with(text, &[clients], &[]).expect("a model");
        let access =
            model.formulas.iter().find(|one| one.name.as_deref() == Some("eventual access"));
        let access = access.expect("it is there");
        let system = CompiledModel::new(&model);
        let demand = Demand { fairness: Fairness::Weak, over: Over::Processes, declared: true };
        let options = Options { demand, ..Options::default() };
        let found = check(&system, access, &options, &isonomy::Watch::none()).expect("a good run");
        assert!(matches!(found.verdict, Verdict::Violated(_)), "{:?}", found.verdict);
        explored.push(found.statistics.product_nodes);
    }
    assert!(explored[0] <= 91, "{explored:?}");
    assert!(explored.iter().all(|&nodes| nodes == explored[0]), "{explored:?}");
}
