//! Generated code touches only memory that it was given: executed under valgrind, where that is installed.
//!
//! `src/system/native/call.rs` is the one place with unsafe code, and says why it is right. Valgrind knows of every
//! byte on the heap whether it was allocated and written, also where the code that reads it was generated a moment ago.

use super::binary;
use support::needs;

/// Models with enough states to be worth native code, and with all kinds of cells: arrays, multisets, undefined values.
const MODELS: [(&str, &[&str]); 5] = [
    ("peterson", &["N=4"]),
    ("german", &["N=3", "D=1"]),
    ("msi_directory", &["N=5"]),
    ("mcs_lock_stepwise", &["N=4"]),
    ("database_managers", &["N=8"]),
];

/// States after which a run ends: native code is there after some thousand.
const MOST_STATES: &str = "20000";

#[test]
fn generated_code_touches_only_its_memory() {
    for (name, constants) in MODELS {
        let file = format!("fixtures/models/{name}.m");
        let mut arguments = vec!["explore", &file, "--symmetry", "off", "--threads", "1"];
        arguments.extend(["--max-states", MOST_STATES, "--log", "debug"]);
        for constant in constants {
            arguments.extend(["-D", constant]);
        }
        let plain = binary::isonomy(&arguments);
        let Some(mut command) = needs::program("valgrind") else { return };
        command.args(["--quiet", "--error-exitcode=99", "--leak-check=no"]);
        command.arg(plain.get_program()).args(plain.get_args());
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("ISONOMY_LOG");
        let run = binary::run(command, &[]);
        assert!(run.err.contains("model.native{native="), "{name} has native code:\n{}", run.err);
        assert!(matches!(run.code, Some(0 | 3)), "{name}: {:?}\n{}", run.code, run.err);
    }
}
