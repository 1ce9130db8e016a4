//! Runs of the program itself, in a folder of its own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Naps of [`NAP`] while the program runs; one that takes longer hangs, for all inputs are small. No clock is asked:
/// on a busy machine, and while both are stopped, we wait as the program does.
const MOST_NAPS: u32 = 12_000;
const NAP: Duration = Duration::from_millis(5);
/// At first, naps are shorter: most runs end soon.
const SHORT_NAPS: u32 = 100;
const SHORT_NAP: Duration = Duration::from_micros(200);

/// The program that a fuzzer runs: `ISONOMY_BINARY` says which.
pub fn asked() -> &'static Path {
    static ASKED: OnceLock<PathBuf> = OnceLock::new();
    ASKED.get_or_init(|| {
        let path = std::env::var_os("ISONOMY_BINARY").expect("ISONOMY_BINARY is the program");
        fs::canonicalize(path).expect("ISONOMY_BINARY is a file")
    })
}

/// A folder for the files of one run, which is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("isonomy-fuzz-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.join(name), content).expect("a file can be written");
    }
}

impl Default for Folder {
    fn default() -> Self {
        Folder::new()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs the program. Whatever it is asked, it ends in time with one of its exit codes, and none of them means a bug.
pub fn run(binary: &Path, folder: &Folder, arguments: &[impl AsRef<OsStr>], input: &[u8]) -> Ended {
    let file = |name: &str| File::create(folder.0.join(name)).expect("a file can be made");
    // A file, not a pipe: a command that does not read its input would close the pipe on us.
    folder.write(".in", input);
    let stdin = File::open(folder.0.join(".in")).expect("a file that was written");
    let mut command = Command::new(binary);
    command.args(arguments).current_dir(&folder.0).stdin(stdin);
    command.stdout(file(".out")).stderr(file(".err"));
    for variable in ["ISONOMY_LOG", "ISONOMY_PROGRESS_MS", "NO_COLOR", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    let mut child = command.spawn().expect("the program starts");
    let mut naps = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("the program is watched") {
            break status;
        }
        naps += 1;
        if naps > MOST_NAPS {
            let _ = child.kill();
            let _ = child.wait();
            panic!("no end after {MOST_NAPS} naps of {NAP:?}: {}", shown(arguments));
        }
        std::thread::sleep(if naps <= SHORT_NAPS { SHORT_NAP } else { NAP });
    };
    let text = |name: &str| {
        let bytes = fs::read(folder.0.join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (out, err) = (text(".out"), text(".err"));
    let code = status.code();
    let code = code.unwrap_or_else(|| panic!("{status}: {}\n{err}", shown(arguments)));
    assert!([0, 1, 2, 3, 130].contains(&code), "exit {code}: {}\n{err}", shown(arguments));
    Ended { code, out, err }
}

fn shown(arguments: &[impl AsRef<OsStr>]) -> String {
    let all = arguments.iter().map(|one| format!("`{}`", one.as_ref().display()));
    format!("isonomy {}", all.collect::<Vec<_>>().join(" "))
}
