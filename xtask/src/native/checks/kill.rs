//! A recording whose program is killed with everything else is readable and replays what it has.

use super::super::Harness;
use super::super::programs::{self, Build, Level};
use crate::e2e::Tally;
use crate::process::Running;
use crate::reweave::{Enforcement, Replayed};
use std::time::Duration;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("native recordings cut short by kill -9");
    for (level, build) in [
        (Level::Sync, Build::Plain),
        (Level::Serial, Build::Instrumented),
    ] {
        for milliseconds in [60, 120, 250] {
            tally.check(
                &format!("deadlock killed after {milliseconds} ms, {level}"),
                once(harness, level, build, milliseconds),
            );
        }
    }
}

fn once(harness: &Harness, level: Level, build: Build, milliseconds: u64) -> Result<(), String> {
    let program = programs::named("deadlock")?;
    let binary = program.compile(harness, &harness.compilers[0], build)?;
    let trials = harness.trials();
    let recording = trials.recording();
    let _ = std::fs::remove_file(&recording);
    let mut record = harness.reweave.command();
    record
        .args(["-q", "record", "-o"])
        .arg(&recording)
        .args(program.record_options(level))
        .arg("--")
        .arg(&binary);
    let mut running = Running::start(&mut record, &harness.scratch)?;
    std::thread::sleep(Duration::from_millis(milliseconds));
    running.kill();
    let (replayed, verdict) = trials.replay(Enforcement::On)?;
    // It may have been killed before anything was written.
    match verdict {
        Ok(Replayed::Deadlock | Replayed::EndOfLog | Replayed::Hang) => Ok(()),
        Err(_) if replayed.stderr_text().contains("no process to replay") => Ok(()),
        other => Err(format!("{other:?}\n{}", replayed.stderr_text())),
    }
}
