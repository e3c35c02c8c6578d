//! `cargo xtask soak --kills N`: recordings of a program that counts its own events in a mapped file, killed at random moments.
//! Every file must verify, hold what the program had counted, and replay to its end with the output that was there.

use super::Soak;
use crate::jdk::Jdk;
use crate::process::{self, Running};
use crate::programs;
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use crate::workspace;
use crate::{Ended, Verdict};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Line {
    jdk: u32,
    number: usize,
    commit: String,
    victim: Victim,
    after_ms: u64,
    /// What the program says that it did.
    counted: u64,
    /// What the recording holds.
    events: u64,
    wrong: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Victim {
    /// The JVM alone; the command lives on and seals the file.
    Program,
    /// The JVM and the command: the file stays as the agent left it.
    Everything,
}

pub fn run(soak: &Soak, jdks: &[Jdk], kills: usize) -> Ended {
    let path = soak.results.folder().join("kills.jsonl");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut lines: Vec<Line> = text
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|e| format!("{}: {e}", path.display())))
        .collect::<Result<_, _>>()?;
    for jdk in jdks {
        for number in 0..kills {
            if lines
                .iter()
                .any(|l| (l.jdk, l.number) == (jdk.major, number))
            {
                continue;
            }
            let line = once(soak, jdk, number)?;
            if let Some(why) = &line.wrong {
                println!("  JDK {}, kill {number}: {why}", jdk.major);
            }
            let text = serde_json::to_string(&line).expect("a line has only strings and numbers");
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)
                .and_then(|mut file| writeln!(file, "{text}"))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            lines.push(line);
        }
    }
    let good = lines.iter().filter(|line| line.wrong.is_none()).count();
    let most = lines.iter().map(|line| line.events).max().unwrap_or(0);
    println!(
        "{good} of {} killed recordings are as they should be; the longest has {most} events",
        lines.len()
    );
    Ok(if good == lines.len() {
        Verdict::Good
    } else {
        Verdict::Bad
    })
}

fn once(soak: &Soak, jdk: &Jdk, number: usize) -> Result<Line, String> {
    let classes = workspace::target().join(format!("xtask/classes/jdk{}/counts-itself", jdk.major));
    let source = workspace::root().join("programs/java/counts-itself/CountsItself.java");
    programs::compile(jdk, &source, &classes, None)?;
    let place = |name: &str| soak.scratch.join(name);
    let (recording, counts, report) = (place("killed.rwv"), place("counts"), place("report.json"));
    for file in [&recording, &counts] {
        let _ = fs::remove_file(file);
    }
    let mut java = Command::new(jdk.java());
    java.arg("-cp")
        .arg(&classes)
        .arg("CountsItself")
        .arg(&counts);
    let random = RandomState::new().hash_one(number);
    let after_ms = 300 + random % 1500;
    let victim = if random >> 32 & 1 == 0 {
        Victim::Program
    } else {
        Victim::Everything
    };
    let mut running = Running::start(&mut soak.reweave.record(&java, &recording), &soak.scratch)?;
    thread::sleep(Duration::from_millis(after_ms));
    match victim {
        Victim::Everything => running.kill(),
        Victim::Program => {
            running.kill_children();
            running.wait(LIMIT);
        }
    }
    let printed = running.stdout()?;
    let mut line = Line {
        jdk: jdk.major,
        number,
        commit: workspace::commit(),
        victim,
        after_ms,
        counted: count(&counts),
        events: 0,
        wrong: None,
    };
    line.wrong = examine(soak, &recording, &report, &printed, &mut line).err();
    Ok(line)
}

fn examine(
    soak: &Soak,
    recording: &PathBuf,
    report: &Path,
    printed: &[u8],
    line: &mut Line,
) -> Result<(), String> {
    if line.counted == 0 && !recording.exists() {
        // Killed before the JVM had started anything.
        return Ok(());
    }
    let ask = |verb| {
        process::run(
            &mut soak.reweave.json(verb, recording),
            LIMIT,
            &soak.scratch,
        )?
        .success(verb)
    };
    ask("verify")?;
    let info: serde_json::Value =
        serde_json::from_str(&ask("info")?).map_err(|error| error.to_string())?;
    line.events = info
        .get("events")
        .and_then(serde_json::Value::as_u64)
        .ok_or("info says nothing about events")?;
    if line.events < line.counted {
        return Err(format!(
            "{} events recorded, but {} counted",
            line.events, line.counted
        ));
    }
    let replayed = process::run(
        &mut soak.reweave.replay(recording, report, Enforcement::On),
        LIMIT,
        &soak.scratch,
    )?;
    // The last write may be in the file and its event not, or the other way round.
    let common = printed
        .iter()
        .zip(&replayed.stdout)
        .take_while(|(a, b)| a == b)
        .count();
    let missing = |bytes: &[u8]| {
        bytes[common..]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
    };
    match (missing(printed), missing(&replayed.stdout)) {
        (0, 0) | (1, 0) | (0, 1) => Ok(()),
        (fewer, more) => Err(format!(
            "the replay prints {fewer} lines less and {more} more"
        )),
    }
}

/// Sum of the counters; a program that was killed early has none.
fn count(path: &Path) -> u64 {
    let bytes = fs::read(path).unwrap_or_default();
    bytes
        .chunks_exact(8)
        .map(|word| u64::from_be_bytes(word.try_into().expect("eight bytes")))
        .sum()
}
