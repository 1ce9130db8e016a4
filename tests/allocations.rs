//! What must not allocate: canonical states where keys tell everything, which is what explorations of
//! most models do with every target; searches of products where nothing is permuted; and steps of
//! systems in Rust whose maps, sequences and bags are small.

use automata::Limits;
use compile::CompiledModel;
use engine::quotient::Quotient;
use engine::symmetry::{IndexType, Indices, Reduction, Structure};
use engine::system::{Layout, Shape};
use isonomy::check::{Options, Question, Verdict};
use model::check_with;
use model::checked::{Demand, Group};
use model::syntax::{Fairness, Over};
use model::types::IndexTypeId;
use run::SplitMix64;

const PID: IndexTypeId = IndexTypeId(0);

fn index(size: u32) -> Shape {
    Shape::Simple { low: 0, values: u64::from(size), indices: vec![(PID, 0)] }
}

fn array(size: u32, element: Shape) -> Shape {
    let length = u64::from(size);
    Shape::Array { length, indices: vec![(PID, 0)], element: Box::new(element) }
}

#[test]
fn canonical_states_without_allocations() {
    let locals = |n| array(n, Shape::Record(vec![Shape::range(0, 2), Shape::range(0, 5)]));
    //  name, group, n, variables
    let table: [(&str, Group, u32, Vec<Shape>); 5] = [
        ("processes", Group::Full, 1000, vec![locals(1000)]),
        ("processes and a pointer", Group::Full, 200, vec![locals(200), index(200)]),
        ("ring", Group::Rotations, 64, vec![locals(64)]),
        ("undirected ring", Group::Dihedral, 64, vec![locals(64)]),
        // Told apart by their numbers.
        (
            "a queue",
            Group::Full,
            20,
            vec![array(20, Shape::range(0, 1_000_000)), array(20, index(20))],
        ),
    ];
    for (name, group, size, shapes) in table {
        let layout = Layout::new(shapes);
        let indices = Indices::new([IndexType { size, group }]);
        let structure = Structure::new(&layout, &indices);
        let mut canonicaliser = structure.canonicaliser();
        let mut random = SplitMix64::new(1);
        let mut states: Vec<Vec<u64>> =
            (0..20).map(|_| random_state(&mut random, &layout, size, name == "a queue")).collect();
        let mut run = |states: &mut [Vec<u64>]| {
            for state in states {
                canonicaliser.canonicalise(state);
                if group == Group::Full {
                    canonicaliser.stabiliser(state);
                }
            }
        };
        // Memory is got once.
        run(&mut states.clone());
        let counts = allocation_counter::measure(|| run(&mut states));
        assert_eq!(counts.count_total, 0, "{name}");
    }
}

/// Once the states are known, a search without symmetry has memory for nodes that grows now and then, and for
/// the different facts of fairness; nothing for single nodes and edges.
#[test]
fn plain_products_without_allocations() {
    let text = std::fs::read_to_string("fixtures/models/peterson.m").expect("a fixture");
    let text = text.replace("const N: 3", "const N: 4");
    let model = check_with(&text, &[], &[]).expect("a model");
    let formula = &model.formulas[0];
    let system = CompiledModel::new(&model);
    let demand = Demand { fairness: Fairness::Weak, over: Over::Processes, declared: true };
    let options = Options { reduction: Reduction::Off, demand, ..Options::default() };
    let question = Question::new(&system, formula, &options, Limits::default()).expect("one");
    let quotient = Quotient::new(&system, options.reduction);
    let instance = question.instances(quotient.structure().indices()).next().expect("a process");
    let ask = || question.answer(&quotient, &instance, &|_| None).expect("the judge agrees");
    ask();
    let mut nodes = 0;
    let counts = allocation_counter::measure(|| {
        let answer = ask();
        assert!(matches!(answer.verdict, Verdict::Holds));
        nodes = answer.statistics.product_nodes;
    });
    assert!(nodes > 30_000, "{nodes} nodes");
    assert!(counts.count_total < nodes / 10, "{} for {nodes} nodes", counts.count_total);
}

mod post {
    //! Letters that are sent, queued and kept.

    use isonomy::protocol::*;

    index! { pub(crate) Office }

    #[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
    pub(crate) struct Post {
        queues: Map<Office, Fifo<Office, 2>>,
        kept: Bag<(Office, Ranged<0, 3>), 4>,
        last: Option<Office>,
    }

    #[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
    pub(crate) enum Event {
        Send { from: Office, to: Office },
        Keep(Office),
        Forget(Office),
    }

    pub(crate) struct Posts;

    impl Protocol for Posts {
        type State = Post;
        type Event = Event;

        fn indices(&self) -> Indices {
            Indices::new().with::<Office>(3)
        }

        fn starts(&self, all: &Indices) -> Vec<Post> {
            vec![Post { queues: Map::filled(all, Fifo::new()), kept: Bag::new(), last: None }]
        }

        fn events(&self, post: &Post, enabled: &mut Vec<Event>) {
            for from in post.queues.keys() {
                enabled.extend(post.queues.keys().map(|to| Event::Send { from, to }));
                enabled.extend([Event::Keep(from), Event::Forget(from)]);
            }
        }

        fn next(&self, post: &Post, event: &Event) -> Option<Post> {
            let mut post = post.clone();
            match *event {
                Event::Send { from, to } if !post.queues[to].is_full() => {
                    post.queues[to].push(from);
                }
                Event::Keep(office) if !post.kept.is_full() => {
                    let from = post.queues[office].pop()?;
                    post.kept.add((from, Ranged::new(i64::from(from == office))));
                    post.last = Some(office);
                }
                Event::Forget(office) => {
                    post.kept.remove(&(office, Ranged::new(1)));
                }
                _ => return None,
            }
            Some(post)
        }

        fn owner(&self, event: &Event) -> Owner {
            let (Event::Send { from, .. } | Event::Keep(from) | Event::Forget(from)) = *event;
            Owner::of(from)
        }
    }
}

/// Once there is memory for steps, a step of a system in Rust takes none.
#[test]
fn steps_of_protocols_without_allocations() {
    use engine::system::{Steps, System as _};
    use isonomy::protocol::{Prepared, Typed};
    let system = Prepared::new::<_, Typed<post::Posts>>(post::Posts);
    let system = system.expect("it fits");
    let words = system.layout().words();
    let mut worker = system.worker();
    let mut steps = Steps::default();
    let mut open: Vec<Vec<u64>> =
        vec![system.starts().next().expect("a start").expect("one").into()];
    // Some hundred states, most of them with something in each collection.
    for k in 0..300 {
        steps.clear();
        worker.expand(&open[k], &mut steps);
        open.extend(steps.targets.chunks(words).map(<[u64]>::to_vec));
    }
    let counts = allocation_counter::measure(|| {
        for state in &open[..300] {
            steps.clear();
            worker.expand(state, &mut steps);
        }
    });
    assert_eq!(counts.count_total, 0);
}

/// Small values, so that they suit every cell; large ones for as many cells as there are indices if
/// those are to be told apart.
fn random_state(random: &mut SplitMix64, layout: &Layout, size: u32, apart: bool) -> Vec<u64> {
    let cells: Vec<i64> = (0..layout.cells())
        .map(|cell| {
            let large = apart && cell < size as usize;
            i64::try_from(random.below(if large { 1_000_000 } else { 3 })).expect("a small number")
        })
        .collect();
    let mut packed = vec![0; layout.words()];
    layout.pack(&cells, &mut packed);
    packed
}
