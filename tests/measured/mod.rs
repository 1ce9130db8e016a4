//! What programs take: time, work and memory, where the system tells.
#![allow(dead_code, reason = "not every user needs every part")]

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What running a program took.
pub(crate) struct Measured {
    /// What it has printed.
    pub(crate) output: String,
    pub(crate) time: Duration,
    /// Seconds of all processors; 0 where the system does not tell.
    pub(crate) work: f64,
    /// Bytes of memory, at most; 0 where the system does not tell.
    pub(crate) peak: u64,
}

/// Programs that are compared are not waited for longer.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a program, and watches its memory.
pub(crate) fn measure(command: &mut Command) -> Measured {
    measure_within(PATIENCE, command)
}

/// The same, but the program is ended if it takes longer.
pub(crate) fn measure_within(patience: Duration, command: &mut Command) -> Measured {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the program is there");
    let mut pipe = child.stdout.take().expect("a pipe was asked for");
    // From a thread: a full pipe must not stop the program.
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        pipe.read_to_end(&mut output).map(|_| String::from_utf8_lossy(&output).into_owned())
    });
    let process = child.id();
    let (mut peak, mut work) = (0, 0.0);
    while child.try_wait().expect("it is ours").is_none() {
        peak = peak.max(peak_of(process).unwrap_or(0));
        work = work_of(process).unwrap_or(work);
        if began.elapsed() > patience {
            child.kill().expect("it is ours");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let time = began.elapsed();
    let output = reader.join().expect("reading does not panic").unwrap_or_default();
    Measured { output, time, work, peak }
}

/// The most memory that a process has had so far.
fn peak_of(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What a process has worked so far: its own time and the system's for it.
pub(crate) fn work_of(process: u32) -> Option<f64> {
    let (ticks, threads) = (work_in_ticks(process)?, work_of_threads(process).unwrap_or(0.0));
    // Threads that have ended are in the first only, and the second is exact.
    Some(if (ticks - threads).abs() < 0.05 { threads } else { ticks })
}

/// What the threads that it has now have worked.
fn work_of_threads(process: u32) -> Option<f64> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let nanoseconds = threads.map(|thread| {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<Option<f64>>().map(|nanoseconds| nanoseconds / 1e9)
}

/// The work of all threads that it has ever had, in ticks of 10 ms.
fn work_in_ticks(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may contain blanks.
    let (_, behind) = text.rsplit_once(')')?;
    let times = behind.split_whitespace().skip(11).take(2);
    Some(times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
}
