//! A recording whose every process is killed at some moment is readable, says that it is not complete, and replays what it has.

use super::{Harness, Tally};
use crate::process::{self, Running};
use crate::programs::Compiled;
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Prints all the time, so that one can see how far it came.
const PROGRAM: &str = "exit-from-worker";

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    let jdk = &harness.jdks[0];
    tally.heading(&format!("recordings cut short by kill -9, {jdk}"));
    for lines in [5, 15, 30] {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, &compiled, lines));
        tally.check(&format!("{PROGRAM} killed after {lines} lines"), result);
    }
}

fn once(harness: &Harness, compiled: &Compiled, lines: usize) -> Result<(), String> {
    let recording = harness.scratch.join("killed.rwv");
    let report = harness.scratch.join("report.json");
    let _ = std::fs::remove_file(&recording);
    let mut running = Running::start(
        &mut harness.reweave.record(&compiled.java(), &recording),
        &harness.scratch,
    )?;
    let started = Instant::now();
    while running
        .stdout()?
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        < lines
    {
        if running.ended().is_some() || started.elapsed() > LIMIT {
            return Err("it ended before it could be killed".to_owned());
        }
        thread::sleep(Duration::from_millis(1));
    }
    running.kill();
    let recorded = running.stdout()?;
    is_incomplete(harness, &recording)?;
    let replayed = process::run(
        &mut harness.reweave.replay(&recording, &report, Enforcement::On),
        LIMIT,
        &harness.scratch,
    )?;
    // What was printed while the kill was under way may be missing in one of the two.
    let common = recorded
        .iter()
        .zip(&replayed.stdout)
        .take_while(|(a, b)| a == b)
        .count();
    if common == recorded.len() || common == replayed.stdout.len() {
        let missing = String::from_utf8_lossy(&recorded[common..]).lines().count();
        return if missing <= 2 {
            Ok(())
        } else {
            Err(format!("the replay stopped {missing} lines early"))
        };
    }
    Err(format!(
        "recorded:\n{}replayed:\n{}",
        String::from_utf8_lossy(&recorded),
        replayed.stdout_text()
    ))
}

fn is_incomplete(harness: &Harness, recording: &Path) -> Result<(), String> {
    let text = process::run(
        &mut harness.reweave.json("info", recording),
        LIMIT,
        &harness.scratch,
    )?
    .success("reweave info")?;
    let info: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("info is not JSON: {error}"))?;
    match info.get("complete") {
        Some(serde_json::Value::Bool(false)) => Ok(()),
        other => Err(format!("info says complete is {other:?}")),
    }
}
