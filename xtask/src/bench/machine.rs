//! What a reader must know about the machine to judge a figure.

use crate::jdk::Jdk;
use crate::workspace::first_line_of;
use std::fs;

/// The date, as in file names.
pub fn today() -> String {
    first_line_of("date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "undated".to_owned())
}

pub fn facts(jdk: &Jdk) -> String {
    let processor =
        value_in("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let memory = value_in("/proc/meminfo", "MemTotal").unwrap_or_else(|| "unknown".to_owned());
    let kernel = first_line_of("uname", &["-sr"]).unwrap_or_else(|| "unknown system".to_owned());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    format!(
        "- {processor}, {cores} cores, memory {memory}\n- {kernel}\n- JDK {}\n- load at the end: {load}\n",
        jdk.version
    )
}

/// The value of a `name: value` line in a file of /proc.
fn value_in(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':')
        .map(|(_, value)| value.trim().to_owned())
}
