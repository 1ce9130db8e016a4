//! What programs take: time, work and memory, where the system tells.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What running a program took.
pub struct Measured {
    /// Its exit code; none after a signal.
    pub code: Option<i32>,
    /// What it has printed.
    pub output: String,
    /// From its start to its end.
    pub time: Duration,
    /// Seconds of all processors; 0 where the system does not tell.
    pub work: f64,
    /// Bytes of memory, at most; 0 where the system does not tell.
    pub peak: u64,
}

/// Programs that are compared are not waited for longer.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a program, and watches its memory.
pub fn measure(command: &mut Command) -> Measured {
    measure_within(PATIENCE, command)
}

/// The same, but the program is ended if it takes longer.
pub fn measure_within(patience: Duration, command: &mut Command) -> Measured {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program is there");
    let mut pipe = child.stdout.take().expect("a pipe was asked for");
    // From a thread: a full pipe must not stop the program. The pipe is closed when the program has
    // ended, and so its time is known more exactly than by looking now and then.
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        let read = pipe.read_to_end(&mut output);
        let time = began.elapsed();
        (read.map(|_| String::from_utf8_lossy(&output).into_owned()), time)
    });
    let process = child.id();
    let (mut peak, mut work) = (0, Work::of(process));
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        peak = peak.max(peak_of(process).unwrap_or(0));
        work.look();
        if began.elapsed() > patience {
            child.kill().expect("it is ours");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let (output, time) = reader.join().expect("reading does not panic");
    let (output, code) = (output.unwrap_or_default(), status.code());
    Measured { code, output, time, work: work.seconds().unwrap_or(0.0), peak }
}

/// The most memory that a process has had so far.
fn peak_of(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What a process has worked, in its own time and the system's for it, as far as somebody has looked.
pub struct Work {
    process: u32,
    /// By thread, in seconds, also of those that have ended since: they would be missed.
    threads: BTreeMap<OsString, f64>,
    /// All threads there ever were, in ticks of 10 ms.
    ticks: Option<f64>,
}

impl Work {
    /// Nobody has looked yet.
    pub fn of(process: u32) -> Work {
        Work { process, threads: BTreeMap::new(), ticks: None }
    }

    /// Looks at how much it is now.
    pub fn look(&mut self) {
        let Ok(threads) = fs::read_dir(format!("/proc/{}/task", self.process)) else { return };
        for thread in threads.flatten() {
            let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
            let first = text.split_whitespace().next();
            if let Some(nanoseconds) = first.and_then(|word| word.parse::<f64>().ok()) {
                self.threads.insert(thread.file_name(), nanoseconds / 1e9);
            }
        }
        self.ticks = work_in_ticks(self.process).or(self.ticks);
    }

    /// How much it was at the last look, where the system tells.
    pub fn seconds(&self) -> Option<f64> {
        let (ticks, threads) = (self.ticks?, self.threads.values().sum::<f64>());
        // The second is exact, unless threads came and went between two looks.
        Some(if (ticks - threads).abs() < 0.05 { threads } else { ticks })
    }
}

/// The work of all threads that it has ever had, in ticks of 10 ms.
fn work_in_ticks(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain blanks.
    let (_, behind) = text.rsplit_once(')')?;
    let times = behind.split_whitespace().skip(11).take(2);
    Some(times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
}
