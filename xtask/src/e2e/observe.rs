//! `replay --observe` writes down what the program did: every read sees what the last write before it wrote. `--goto race:N.a` stops a debugger at that access.

use super::goto::announced_port;
use super::jdb::Jdb;
use super::{Harness, Tally};
use crate::jdk::Jdk;
use crate::process::{self, End, Running};
use crate::programs::{self, Level};
use crate::trial::LIMIT;
use crate::workspace;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "TwoLocks";

pub fn check(harness: &Harness, tally: &mut Tally) {
    // A choice of programs is one of those that are replayed.
    if harness.program("racy-counter").is_none() {
        return;
    }
    tally.heading("observed replays");
    for jdk in &harness.jdks {
        let recording = record(harness, jdk);
        let with = |check: fn(&Harness, &Jdk, &Path) -> Result<(), String>| {
            recording
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|recording| check(harness, jdk, recording))
        };
        tally.check(
            &format!("reads see what was written, JDK {}", jdk.major),
            with(consistent),
        );
        tally.check(&format!("filters, JDK {}", jdk.major), with(filtered));
        tally.check(
            &format!("jdb at an access of a race, JDK {}", jdk.major),
            with(at_a_race),
        );
    }
}

fn record(harness: &Harness, jdk: &Jdk) -> Result<PathBuf, String> {
    let classes = harness.scratch.join(format!("observed-{}", jdk.major));
    let source = workspace::root().join(format!("programs/java/races/{PROGRAM}.java"));
    programs::compile(jdk, &source, &classes, None)?;
    let recording = harness.scratch.join(format!("observed-{}.rwv", jdk.major));
    let _ = fs::remove_file(&recording);
    let mut java = Command::new(jdk.java());
    java.arg("-cp").arg(&classes).arg(PROGRAM);
    let mut record = harness.reweave.record_at(Level::Access, &java, &recording);
    let outcome = process::run(&mut record, LIMIT, &harness.scratch)?;
    outcome.success("record").map(|_| recording)
}

fn observe(harness: &Harness, recording: &Path, options: &[&str]) -> Result<String, String> {
    let file = harness.scratch.join("observed.txt");
    let mut replay = harness.reweave.command();
    replay
        .args(["-q", "replay"])
        .arg(recording)
        .arg("--observe")
        .arg(&file)
        .args(options);
    process::run(&mut replay, LIMIT, &harness.scratch)?.success("replay")?;
    fs::read_to_string(&file).map_err(|error| format!("no trace: {error}"))
}

/// Every access to the field is there, in an order that explains what was read, and `races` finds the race in the text, too.
fn consistent(harness: &Harness, _jdk: &Jdk, recording: &Path) -> Result<(), String> {
    let text = observe(harness, recording, &[])?;
    let mut last: HashMap<&str, &str> = HashMap::new();
    let mut accesses = 0;
    for line in text.lines().filter(|line| line.contains(".balance = ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, operation, location, "=", value, "@", place] = words[..] else {
            return Err(format!("not as documented: {line}"));
        };
        if !place.starts_with("TwoLocks.") || !place.contains("(TwoLocks.java:") {
            return Err(format!("no place: {line}"));
        }
        accesses += 1;
        match operation {
            "write" => drop(last.insert(location, value)),
            "read" if last.get(location).copied().unwrap_or("0") != value => {
                return Err(format!("{line}, but {:?} was written", last.get(location)));
            }
            _ => (),
        }
    }
    // Each of the two threads reads and writes it 50 times, main reads it once.
    if accesses != 201 {
        return Err(format!("{accesses} accesses instead of 201"));
    }
    let locked = |word: &str| text.matches(&format!(" {word} java.lang.Object#")).count();
    if (locked("acquire"), locked("release")) != (100, 100) {
        return Err("not all locks are there".to_owned());
    }
    let mut races = harness.reweave.command();
    races.arg("races").arg(harness.scratch.join("observed.txt"));
    let outcome = process::run(&mut races, LIMIT, &harness.scratch)?;
    match outcome.end {
        End::Exit(66) => Ok(()),
        end => Err(format!(
            "races of the text: {end}\n{}",
            outcome.stderr_text()
        )),
    }
}

fn filtered(harness: &Harness, _jdk: &Jdk, recording: &Path) -> Result<(), String> {
    let all = observe(
        harness,
        recording,
        &["--observe-location", "TwoLocks.*", "--observe-stacks"],
    )?;
    let is_access = |line: &&str| line.contains(" = ");
    match all.lines().filter(is_access).find(|line| {
        !line.contains(".balance = ") || !line.contains(" < java.lang.Thread.run(Thread.java:")
    }) {
        Some(line) if !line.contains("TwoLocks.main") => {
            return Err(format!("not asked for: {line}"));
        }
        _ => (),
    }
    let none = observe(harness, recording, &["--observe-class", "Nobody"])?;
    match none.lines().find(is_access) {
        Some(line) => Err(format!("not asked for: {line}")),
        None if !none.contains(" acquire ") => Err("no synchronization".to_owned()),
        None => Ok(()),
    }
}

fn at_a_race(harness: &Harness, jdk: &Jdk, recording: &Path) -> Result<(), String> {
    for side in ["race:1.a", "race:1.b"] {
        let report = harness.scratch.join("report.json");
        let mut replay = harness.reweave.replay_with_notes(recording, &report);
        replay.args(["--goto", side]);
        let mut running = Running::start(&mut replay, &harness.scratch)?;
        let port = announced_port(&mut running)?;
        let mut jdb = Jdb::attach(jdk, port, &harness.scratch.join("jdb"))?;
        jdb.wait_for_stop()?;
        jdb.follow(&[
            ("where", "(TwoLocks.java:"),
            ("cont", "The application exited"),
        ])?;
        match running.wait(LIMIT) {
            End::Exit(0) => (),
            end => return Err(format!("{side}: {end}")),
        }
    }
    Ok(())
}
