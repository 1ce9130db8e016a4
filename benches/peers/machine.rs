//! What the figures were measured with.

use std::process::Command;

/// The machine, and the versions of all programs, as a list.
pub(crate) fn described() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cpu = cpu.map_or("a processor that does not say its name", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let memory = memory.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    let memory = memory.map_or(String::new(), |kb| format!(", {:.0} GB of memory", kb / 1e6));
    let programs =
        [("rustc", "--version"), ("gcc", "--version"), ("rumur", "--version"), ("spin", "-V")];
    let versions =
        programs.map(|(program, argument)| match Command::new(program).arg(argument).output() {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                format!("- {}\n", said.lines().next().unwrap_or(program))
            }
            Err(_) => format!("- SKIPPED: {program} is not installed\n"),
        });
    format!("- {cpu}, {cores} cores{memory}\n{}", versions.concat())
}
