//! Programs that are recorded at the same time do not mix, nor do their children: each recording has its own processes, and replays to its own output.

use super::super::Harness;
use super::super::programs::{self, Build, Level};
use super::super::trial::Trials;
use crate::e2e::Tally;
use crate::process::{End, Outcome, Running};
use crate::trial::LIMIT;
use std::path::PathBuf;
use std::time::Duration;

const PROGRAMS: &[(&str, usize)] = &[("families", 8), ("bounded-buffer", 1), ("world", 1)];

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("native programs recorded at the same time");
    for (level, build) in [
        (Level::Sync, Build::Plain),
        (Level::Serial, Build::Instrumented),
    ] {
        tally.check(
            &format!("{} programs, {level}", PROGRAMS.len()),
            together(harness, level, build),
        );
    }
}

fn together(harness: &Harness, level: Level, build: Build) -> Result<(), String> {
    let mut running = Vec::new();
    for &(name, processes) in PROGRAMS {
        let program = programs::named(name)?;
        let binary = program.compile(harness, &harness.compilers[0], build)?;
        let scratch = harness.scratch.join(format!("together-{name}"));
        std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
        let recording = scratch.join("trial.rwv");
        let _ = std::fs::remove_file(&recording);
        let mut record = harness.reweave.command();
        record
            .args(["-q", "record", "-o"])
            .arg(&recording)
            .args(program.record_options(level))
            .arg("--")
            .arg(&binary);
        running.push((
            name,
            processes,
            Running::start(&mut record, &scratch)?,
            scratch,
        ));
    }
    for (name, processes, mut running, scratch) in running {
        let end = running.wait(LIMIT);
        let recorded = Outcome {
            end,
            stdout: running.stdout()?,
            stderr: running.stderr()?,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        };
        if end != End::Exit(0) {
            return Err(format!("{name}: {end}\n{}", recorded.stderr_text()));
        }
        one(harness, processes, &recorded, scratch).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(())
}

fn one(
    harness: &Harness,
    processes: usize,
    recorded: &Outcome,
    scratch: PathBuf,
) -> Result<(), String> {
    let trials = Trials {
        reweave: &harness.reweave,
        scratch: &scratch,
    };
    trials.same(recorded)?;
    let mut export = harness.reweave.command();
    let output = export
        .args(["export", "--format", "json"])
        .arg(trials.recording())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let exported: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let found = exported["processes"].as_array().map_or(0, Vec::len);
    match found == processes {
        true => Ok(()),
        false => Err(format!(
            "{found} processes in its recording, not {processes}"
        )),
    }
}
