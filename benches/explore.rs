//! How fast are states explored, and how does that compare with rumur?
//!
//! `cargo bench --bench explore` runs the models of its table, first with one thread, then with two,
//! and rumur's verifier beside them where rumur and gcc are installed: states, states per second,
//! peak memory of the store, ratio. `-- FILE -D N=5 ...` runs other models.
#![allow(clippy::print_stdout, reason = "a bench prints its figures")]
#![allow(clippy::cast_precision_loss, reason = "rates need no more than a few digits")]

use isonomy::explore::{Deadlock, Options, explore};
use isonomy::model::{Definition, check};
use isonomy::system::CompiledModel;
use std::path::Path;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|one| one != "--bench").peekable();
    while let Some(file) = arguments.next() {
        let mut definitions = Vec::new();
        while arguments.peek().is_some_and(|next| next.contains('=')) {
            let one = arguments.next().expect("it was seen");
            let (name, value) = one.split_once('=').expect("NAME=VALUE");
            definitions.push(Definition { name: name.to_owned(), value: value.to_owned() });
        }
        run(Path::new(&file), &definitions);
    }
}

fn run(path: &Path, definitions: &[Definition]) {
    let text = std::fs::read_to_string(path).expect("a model");
    let model = match check(&text, definitions) {
        Ok(model) => model,
        Err(errors) => panic!("{}: {errors:?}", path.display()),
    };
    for threads in [1, 2] {
        let options = Options {
            deadlock: Deadlock::Off,
            expand_violating: false,
            most_states: None,
            threads,
        };
        let began = Instant::now();
        let system = CompiledModel::new(&model);
        let found = explore(&system, &options, &mut |_| None);
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{} threads {threads}: {} states, {} fired, {} steps, {:.3} s, {:.0} states/s, {:.0} firings/s, {:.1} bytes/state ({} packed), {} interpreted, {} violations",
            path.display(),
            found.progress.states,
            found.progress.fired,
            found.progress.steps,
            seconds,
            found.progress.states as f64 / seconds,
            found.progress.fired as f64 / seconds,
            found.memory as f64 / found.progress.states as f64,
            found.state_bytes,
            system.interpreted(),
            found.violations.len(),
        );
    }
}
