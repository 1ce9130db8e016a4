//! How long, how large: the limits of a run, from its options.
//!
//! No thread watches them: engines ask a [`Watch`] regularly, which is [`Budget::probe`], and between
//! formulas the commands do. Memory is looked at no more often
//! than every [`LOOK_EVERY`], and not at all in a run that is shorter.

use super::error::Error;
use super::exit::Exit;
use super::interrupt::Interrupt;
use run::{Limits, Report, StopReason, Watch};
use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The options of a command that may take long.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Limits of the run")]
pub(crate) struct RunLimits {
    /// Stop after this time: 90 (seconds), 0.5, 500ms, 10m, 1h30m, ...
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Stop when the process takes more memory than this: 4G, 512M, ... [default: 80 % of RAM]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    memory_limit: Option<u64>,
}

/// The options of a command that searches the states of a model.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Limits of the run")]
pub(crate) struct SearchLimits {
    #[command(flatten)]
    pub(crate) run: RunLimits,
    /// Stop the search for a property when it needs more states than this (with symmetry reduction:
    /// more representatives): 1000000, `1_000_000`, 1e6, ...
    #[arg(long, value_name = "N", value_parser = number)]
    pub(crate) max_states: Option<u64>,
}

/// The options of a command that builds automata.
#[derive(clap::Args)]
#[command(next_help_heading = "Limits of the run")]
pub(crate) struct LimitOptions {
    #[command(flatten)]
    run: RunLimits,
    /// Stop when an automaton has more states than this [default: 1000000]
    #[arg(long, value_name = "N", value_parser = small_number)]
    max_states: Option<u32>,
}

/// What is left of a run's time and memory, for all of its threads.
#[derive(Clone)]
pub(crate) struct Budget {
    states: Option<u32>,
    left: Arc<Left>,
}

struct Left {
    began: Instant,
    timeout: Option<Duration>,
    /// Asked of the system when first needed, unless given.
    memory: OnceLock<Option<u64>>,
    /// When memory was looked at last, in nanoseconds since the run began.
    looked: AtomicU64,
    interrupt: Interrupt,
}

/// Memory is not looked at more often than this.
const LOOK_EVERY: Duration = Duration::from_millis(10);

impl Budget {
    /// A run that builds automata begins.
    pub(crate) fn new(options: &LimitOptions) -> Self {
        Budget { states: options.max_states, ..Budget::of_run(&options.run) }
    }

    /// A run begins that only Ctrl-C and the memory of the machine limit.
    pub(crate) fn unlimited() -> Self {
        Budget::of_run(&RunLimits { timeout: None, memory_limit: None })
    }

    /// The run begins.
    pub(crate) fn of_run(options: &RunLimits) -> Self {
        let began = Instant::now();
        let memory = OnceLock::new();
        if let Some(most) = options.memory_limit {
            memory.set(Some(most)).expect("a new cell is empty");
        }
        let (timeout, interrupt) = (options.timeout, Interrupt::watch());
        let left = Left { began, timeout, memory, looked: AtomicU64::new(0), interrupt };
        Budget { states: None, left: Arc::new(left) }
    }

    /// Why the run should stop, if it should.
    pub(crate) fn probe(&self) -> Option<StopReason> {
        self.left.probe(0)
    }

    /// The watch that asks [`Self::probe`].
    pub(crate) fn watch(&self) -> Watch {
        let left = Arc::clone(&self.left);
        Watch::new(move |now| left.probe(now.wanted_bytes))
    }

    /// Stops if the run should.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.probe().map_or(Ok(()), |reason| Err(reason.into()))
    }

    /// The limits of a construction, with a watch that asks [`Self::probe`].
    pub(crate) fn limits<'p>(&self, watch: &'p Report<'p>) -> Limits<'p> {
        let limits = Limits { watch: Some(watch), ..Limits::default() };
        let Some(states) = self.states else { return limits };
        // Who allows more states allows more of the rest, in the same proportion.
        let states = states as usize;
        let scaled = |usual: usize| {
            let ratio = usual / limits.states;
            usual.max(states.saturating_mul(ratio)).min(u32::MAX as usize)
        };
        Limits { states, edges: scaled(limits.edges), labels: scaled(limits.labels), ..limits }
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.left.interrupt
    }
}

impl Left {
    /// Why the run should stop, or should not take so many more bytes.
    fn probe(&self, wanted: u64) -> Option<StopReason> {
        if self.interrupt.asked() {
            return Some(StopReason::Interrupted);
        }
        if run::memory::is_exhausted() {
            return Some(StopReason::OutOfMemory);
        }
        let time = self.began.elapsed();
        if let Some(timeout) = self.timeout
            && time >= timeout
        {
            return Some(StopReason::Timeout(timeout));
        }
        let looked = Duration::from_nanos(self.looked.load(Ordering::Relaxed));
        if wanted == 0 && time.saturating_sub(looked) < LOOK_EVERY {
            return None;
        }
        // If another thread looks, too, that does no harm.
        self.looked.store(time.as_nanos() as u64, Ordering::Relaxed);
        let most = (*self.memory.get_or_init(|| memory_of_machine().map(|ram| ram / 5 * 4)))?;
        let taken = resident_memory()?.saturating_add(wanted);
        (taken > most).then_some(StopReason::Memory(most))
    }
}

/// Ends the run when there is not even memory to print what is known. Nothing here allocates: a buffer on
/// the stack, and a stream that has none.
pub(crate) fn out_of_memory(bytes: usize) -> ! {
    let mut buffer = [0; 128];
    let mut rest = &mut buffer[..];
    let _ = writeln!(rest, "stopped: there is no memory for {bytes} more bytes");
    let length = 128 - rest.len();
    let _ = std::io::stderr().write_all(&buffer[..length]);
    run::memory::end_at_once(Exit::NoAnswer as i32)
}

/// The memory that this process has in RAM, where the system tells.
pub(crate) fn resident_memory() -> Option<u64> {
    // `statm` would be quicker to read, but counts in pages of a size that it does not tell.
    kibibytes("/proc/self/status", "VmRSS:")
}

/// The most memory that this process has had in RAM, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

/// The RAM of the machine, or of the container that we are in.
fn memory_of_machine() -> Option<u64> {
    let machine = kibibytes("/proc/meminfo", "MemTotal:")?;
    let number = |path| fs::read_to_string(path).ok()?.trim().parse().ok();
    let containers = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    Some(containers.into_iter().filter_map(number).fold(machine, u64::min))
}

/// The number in the line of a file that starts with `key`, taken for KiB; in bytes.
fn kibibytes(path: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

/// `90`, `0.5`: seconds; `500ms`, `10m`, `1h30m`: numbers with units, the larger ones first.
fn duration(text: &str) -> Result<Duration, String> {
    let fault = || {
        "not a time: write seconds, or numbers with units: 90, 0.5, 500ms, 10m, 1h30m".to_owned()
    };
    let seconds = |number: f64| Duration::try_from_secs_f64(number).map_err(|_| fault());
    if let Ok(number) = text.parse() {
        return seconds(number);
    }
    let (mut rest, mut total, mut last) = (text, Duration::ZERO, f64::INFINITY);
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(fault)?;
        let behind = rest[unit..].find(|c: char| !c.is_ascii_alphabetic());
        let end = behind.map_or(rest.len(), |length| unit + length);
        let number: f64 = rest[..unit].parse().map_err(|_| fault())?;
        let scale = match &rest[unit..end] {
            "h" => 3600.0,
            "m" | "min" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return Err(fault()),
        };
        if scale >= last {
            return Err(fault());
        }
        total = total.checked_add(seconds(number * scale)?).ok_or_else(fault)?;
        (rest, last) = (&rest[end..], scale);
    }
    if last.is_infinite() { Err(fault()) } else { Ok(total) }
}

/// `1000000`, `1_000_000`, `1e6`, `2.5e6`: a whole number of at least 1.
fn number(text: &str) -> Result<u64, String> {
    let fault = || "not a number from 1 on: write it as 1000000, 1_000_000 or 1e6".to_owned();
    let plain = text.replace('_', "");
    let (digits, exponent) = plain.split_once(['e', 'E']).unwrap_or((&plain, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let shift = exponent.parse::<u32>().ok().and_then(|e| e.checked_sub(fraction.len() as u32));
    let (Some(shift), true) = (shift, is_digits(whole) && is_digits(fraction) && !whole.is_empty())
    else {
        return Err(fault());
    };
    let number: u64 = format!("{whole}{fraction}").parse().map_err(|_| fault())?;
    let number = 10_u64.checked_pow(shift).and_then(|power| number.checked_mul(power));
    number.filter(|number| *number > 0).ok_or_else(fault)
}

/// The same, up to [`u32::MAX`].
fn small_number(text: &str) -> Result<u32, String> {
    u32::try_from(number(text)?).map_err(|_| format!("at most {}", u32::MAX))
}

/// `4G`, `1.5GiB`, `512M`, `65536`: powers of 1024.
fn bytes(text: &str) -> Result<u64, String> {
    let fault = || "not a size: write a number and K, M, G or T".to_owned();
    let upper = text.to_ascii_uppercase();
    let short = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
    let (number, shift) = match short.as_bytes().last() {
        Some(b'K') => (&short[..short.len() - 1], 10),
        Some(b'M') => (&short[..short.len() - 1], 20),
        Some(b'G') => (&short[..short.len() - 1], 30),
        Some(b'T') => (&short[..short.len() - 1], 40),
        _ => (short, 0),
    };
    if let Ok(number) = number.parse::<u64>() {
        return number.checked_mul(1 << shift).ok_or_else(fault);
    }
    // A fraction: as exact as a size in bytes needs to be.
    let (whole, fraction) = number.split_once('.').ok_or_else(fault)?;
    let digits = fraction.bytes().all(|b| b.is_ascii_digit()) && (1..=9).contains(&fraction.len());
    if shift == 0 || !digits {
        return Err(fault());
    }
    let whole: u64 = whole.parse().map_err(|_| fault())?;
    let part: u64 = fraction.parse().map_err(|_| fault())?;
    let part = (u128::from(part) << shift) / 10u128.pow(fraction.len() as u32);
    whole.checked_mul(1 << shift).and_then(|w| w.checked_add(part as u64)).ok_or_else(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use run::Progress;

    #[test]
    fn sizes_and_times() {
        for (text, expected) in [
            ("4G", Some(4 << 30)),
            ("512M", Some(512 << 20)),
            ("1.5g", Some(3 << 29)),
            ("2GiB", Some(2 << 30)),
            ("10kb", Some(10 << 10)),
            ("65536", Some(65536)),
            ("1T", Some(1 << 40)),
            ("0", Some(0)),
            ("", None),
            ("G", None),
            ("-1G", None),
            ("1.5", None),
            ("1.G", None),
            ("1e3M", None),
            ("99999999999T", None),
            ("4X", None),
        ] {
            assert_eq!(bytes(text).ok(), expected, "{text}");
        }
        for (text, expected) in [
            ("1", Some(Duration::from_secs(1))),
            ("0.25", Some(Duration::from_millis(250))),
            ("0", Some(Duration::ZERO)),
            ("-1", None),
            ("NaN", None),
            ("inf", None),
            ("1e300", None),
            ("soon", None),
            ("500ms", Some(Duration::from_millis(500))),
            ("90s", Some(Duration::from_secs(90))),
            ("10m", Some(Duration::from_secs(600))),
            ("1.5h", Some(Duration::from_secs(5400))),
            ("1h30m", Some(Duration::from_secs(5400))),
            ("1m1m", None),
            ("30m1h", None),
            ("1h30", None),
            ("m", None),
            ("-5m", None),
            ("", None),
            ("1d", None),
        ] {
            assert_eq!(duration(text).ok(), expected, "{text}");
        }
        for (text, expected) in [
            ("1", Some(1)),
            ("1000000", Some(1_000_000)),
            ("1_000_000", Some(1_000_000)),
            ("1e6", Some(1_000_000)),
            ("2.5E3", Some(2_500)),
            ("18446744073709551615", Some(u64::MAX)),
            ("0", None),
            ("0e9", None),
            ("1e20", None),
            ("1e", None),
            ("e6", None),
            ("1.5", None),
            ("1e-3", None),
            ("-1", None),
            ("+1", None),
            ("_", None),
            ("", None),
            ("1M", None),
        ] {
            assert_eq!(number(text).ok(), expected, "{text}");
        }
        assert_eq!(small_number("4e9"), Ok(4_000_000_000));
        assert!(small_number("5e9").is_err());
    }

    fn budget(
        timeout: Option<Duration>,
        memory_limit: Option<u64>,
        max_states: Option<u32>,
    ) -> Budget {
        Budget::new(&LimitOptions { run: RunLimits { timeout, memory_limit }, max_states })
    }

    #[test]
    fn the_probe_names_the_limit() {
        assert_eq!(budget(None, None, None).probe(), None);
        let none = Duration::ZERO;
        assert_eq!(budget(Some(none), None, None).probe(), Some(StopReason::Timeout(none)));
        let small = budget(None, Some(1 << 10), None);
        assert_eq!(small.probe(), None, "too early to look");
        std::thread::sleep(LOOK_EVERY);
        if resident_memory().is_some() {
            assert_eq!(small.probe(), Some(StopReason::Memory(1 << 10)));
        }
        let enough = budget(None, None, None);
        std::thread::sleep(LOOK_EVERY);
        assert_eq!(enough.probe(), None, "this machine still has memory");
    }

    #[test]
    fn more_states_allow_more_edges() {
        let watch = |_: &Progress| None;
        let usual = Limits::default();
        let few = budget(None, None, Some(5)).limits(&watch);
        assert_eq!((few.states, few.edges, few.labels), (5, usual.edges, usual.labels));
        let many = budget(None, None, Some(4_000_000)).limits(&watch);
        assert_eq!((many.states, many.edges), (4_000_000, 4 * usual.edges));
    }
}
