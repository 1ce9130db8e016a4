//! The `isonomy` command: everything is in the library's `cli`, but for a look at standard output.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a standard stream that is closed.
//! Results would go there without an error. From `main` on, nothing distinguishes this from a
//! `/dev/null` that the user or a parent process has chosen. So whether standard output is open is
//! found out earlier: when the program's initialisers run.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: run::memory::Reserving = run::memory::Reserving;

/// Whether standard output was open when the process began; `true` where this is not known.
static WAS_OUTPUT_OPEN: AtomicBool = AtomicBool::new(true);

fn main() -> ExitCode {
    isonomy::command_line(WAS_OUTPUT_OPEN.load(Ordering::Relaxed))
}

/// Called by the C runtime before `main`, once.
///
/// Functions in this section are called in the only thread, after the C library is ready, with
/// arguments that a function without parameters may ignore. This one does not unwind (that would
/// abort the process), and uses nothing that Rust's runtime sets up.
#[cfg(target_os = "linux")]
#[used]
#[expect(unsafe_code, reason = "a section of the program is chosen; see above")]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    let exists = |path| std::fs::symlink_metadata(path).is_ok();
    let is_known = exists("/proc/self/fd");
    WAS_OUTPUT_OPEN.store(!is_known || exists("/proc/self/fd/1"), Ordering::Relaxed);
}
