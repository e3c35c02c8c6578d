//! A program that deadlocks is recorded until it is stuck, killed, and replayed: it must get stuck in the same place.

use super::{Harness, Tally};
use crate::process::{self, Running};
use crate::programs::{Compiled, Kind};
use crate::reweave::{Enforcement, Replayed, Report};
use crate::trial::LIMIT;
use std::thread;
use std::time::{Duration, Instant};

pub fn check(harness: &Harness, tally: &mut Tally) {
    for jdk in &harness.jdks {
        for program in harness
            .programs
            .iter()
            .filter(|program| program.kind == Kind::Deadlock)
        {
            let name = format!("{} on JDK {}", program.name, jdk.major);
            tally.check(
                &name,
                program
                    .compile(jdk)
                    .and_then(|compiled| once(harness, &compiled)),
            );
        }
    }
}

fn once(harness: &Harness, compiled: &Compiled) -> Result<(), String> {
    let recording = harness.scratch.join("deadlock.rwv");
    let report = harness.scratch.join("report.json");
    let _ = std::fs::remove_file(&recording);
    let mut running = Running::start(
        &mut harness.reweave.record(&compiled.java(), &recording),
        &harness.scratch,
    )?;
    let recorded = wait_until_quiet(&mut running)?;
    running.kill();
    let replayed = process::run(
        &mut harness.reweave.replay(&recording, &report, Enforcement::On),
        LIMIT,
        &harness.scratch,
    )?;
    if replayed.stdout != recorded {
        let (recorded, replayed) = (
            String::from_utf8_lossy(&recorded).into_owned(),
            replayed.stdout_text(),
        );
        let last = |text: &str| text.lines().last().unwrap_or("(nothing)").to_owned();
        return Err(format!(
            "the recording ends with {}, the replay with {}",
            last(&recorded),
            last(&replayed)
        ));
    }
    match Report::read(&report)?.verdict {
        Replayed::Deadlock => Ok(()),
        other => Err(format!(
            "the verdict is {other:?}: {}",
            replayed.stderr_text()
        )),
    }
}

/// Waits until nothing was printed for a second, and returns what was.
fn wait_until_quiet(running: &mut Running) -> Result<Vec<u8>, String> {
    let started = Instant::now();
    let mut printed = Vec::new();
    let mut last_change = Instant::now();
    loop {
        if let Some(end) = running.ended() {
            let stderr = running.stderr()?;
            return Err(format!(
                "it was to deadlock, but ended: {end}\n{}",
                String::from_utf8_lossy(&stderr)
            ));
        }
        let now = running.stdout()?;
        if now.len() != printed.len() {
            printed = now;
            last_change = Instant::now();
        } else if !printed.is_empty() && last_change.elapsed() > Duration::from_secs(1) {
            return Ok(printed);
        }
        if started.elapsed() > LIMIT {
            return Err("it does not come to rest".to_owned());
        }
        thread::sleep(Duration::from_millis(20));
    }
}
