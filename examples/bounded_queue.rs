//! A bounded queue between a producer and a consumer that crashes and recovers.
//!
//! If the consumer takes an item out before it has worked on it, a crash loses the item. If it takes the
//! item out afterwards, nothing is lost, and every item is done if the consumer is not too unlucky.
//! Run it with `cargo run --release --example bounded_queue`.
#![allow(clippy::print_stdout, reason = "an example prints")]
#![allow(clippy::wildcard_imports, reason = "the module is meant to be imported as a whole")]

use isonomy::protocol::*;

index! { Item }

/// The length of the queue.
const ROOM: usize = 2;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
struct Shop {
    items: Map<Item, Status>,
    /// On disk: a crash does not change it.
    queue: Fifo<Item, ROOM>,
    consumer: Consumer,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Status {
    New,
    Ordered,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Cells)]
enum Consumer {
    Idle,
    Busy(Item),
    Crashed,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Cells)]
enum Event {
    Order(Item),
    Take(Item),
    Finish(Item),
    Crash,
    Recover,
    /// A done item may be ordered again.
    Reset(Item),
}

struct BoundedQueue {
    items: usize,
    /// Whether an item leaves the queue when it is done, or already when it is taken.
    keeps_until_done: bool,
}

impl Protocol for BoundedQueue {
    type State = Shop;
    type Event = Event;

    fn indices(&self) -> Indices {
        Indices::new().with::<Item>(self.items)
    }

    fn starts(&self, all: &Indices) -> Vec<Shop> {
        let items = Map::filled(all, Status::New);
        vec![Shop { items, queue: Fifo::new(), consumer: Consumer::Idle }]
    }

    fn events(&self, shop: &Shop, enabled: &mut Vec<Event>) {
        for (item, status) in shop.items.iter() {
            match status {
                Status::New if !shop.queue.is_full() => enabled.push(Event::Order(item)),
                Status::Done => enabled.push(Event::Reset(item)),
                Status::New | Status::Ordered => {}
            }
        }
        match shop.consumer {
            Consumer::Idle => enabled.extend(shop.queue.first().map(|item| Event::Take(*item))),
            Consumer::Busy(item) => enabled.extend([Event::Finish(item), Event::Crash]),
            Consumer::Crashed => enabled.push(Event::Recover),
        }
    }

    fn next(&self, shop: &Shop, event: &Event) -> Option<Shop> {
        let mut shop = shop.clone();
        match *event {
            Event::Order(item) => {
                shop.items[item] = Status::Ordered;
                shop.queue.push(item);
            }
            Event::Take(item) => {
                shop.consumer = Consumer::Busy(item);
                if !self.keeps_until_done {
                    shop.queue.pop();
                }
            }
            Event::Finish(item) => {
                shop.items[item] = Status::Done;
                shop.consumer = Consumer::Idle;
                if self.keeps_until_done {
                    shop.queue.pop();
                }
            }
            Event::Crash => shop.consumer = Consumer::Crashed,
            Event::Recover => shop.consumer = Consumer::Idle,
            Event::Reset(item) => shop.items[item] = Status::New,
        }
        Some(shop)
    }

    fn atoms(&self, atoms: &mut Atoms<Self>) {
        atoms
            .state1("ordered", |shop, i| shop.items[i] == Status::Ordered)
            .state1("done", |shop, i| shop.items[i] == Status::Done);
    }

    fn properties(&self, properties: &mut Properties<Self>) {
        properties.sometimes("full", |shop| shop.queue.is_full()).always(
            "nothing is lost",
            |shop| {
                shop.items.iter().all(|(item, status)| {
                    *status != Status::Ordered
                        || shop.queue.contains(&item)
                        || shop.consumer == Consumer::Busy(item)
                })
            },
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let served = "forall i: Item. G (ordered(i) -> F done(i))";
    for keeps_until_done in [false, true] {
        println!(
            "== items leave the queue when they are {}\n",
            ["taken", "done"][usize::from(keeps_until_done)]
        );
        // Weak fairness allows a crash each time before an item is done.
        for fairness in [Fairness::Weak, Fairness::Strong] {
            let check = check(BoundedQueue { items: 3, keeps_until_done }).formula(served)?;
            println!("{}", check.fairness(fairness).over(Over::Events).run()?);
        }
    }
    Ok(())
}
