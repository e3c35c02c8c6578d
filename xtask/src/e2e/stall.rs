//! A replay that cannot go on, because a thread waits for input that was not recorded and does not come, gives up in time and says who waits for whom.

use super::{Harness, Tally};
use crate::process::{End, Running};
use crate::programs::Compiled;
use crate::reweave::{Replayed, Report};
use crate::trial::LIMIT;
use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, Instant};

const PROGRAM: &str = "reads-input";
/// The exit code of a replay that gave up.
const STALLED: i32 = 13;
const STALL_AFTER: Duration = Duration::from_secs(2);
/// The JVM starts and ends in that time, too, on a busy machine.
const ALLOWANCE: Duration = Duration::from_secs(15);

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("a replay that lacks its input");
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, &compiled));
        tally.check(
            &format!("{PROGRAM} gives up in time, JDK {}", jdk.major),
            result,
        );
    }
}

fn once(harness: &Harness, compiled: &Compiled) -> Result<(), String> {
    let recording = harness.scratch.join("stalled.rwv");
    let report = harness.scratch.join("report.json");
    let input = harness.scratch.join("input");
    let _ = fs::remove_file(&recording);
    let file = fs::write(&input, "x").and_then(|()| File::open(&input));
    let file = file.map_err(|error| format!("cannot make {}: {error}", input.display()))?;
    let mut record = harness.reweave.record(&compiled.java(), &recording);
    let recorded =
        Running::start_with_input(&mut record, Stdio::from(file), &harness.scratch)?.wait(LIMIT);
    if recorded != End::Exit(0) {
        return Err(format!("the recording: {recorded}"));
    }
    let mut replay = harness.reweave.replay_with_notes(&recording, &report);
    replay.args(["--stall-after", &STALL_AFTER.as_secs().to_string()]);
    let started = Instant::now();
    let mut running = Running::start_with_input(&mut replay, Stdio::piped(), &harness.scratch)?;
    let end = running.wait(LIMIT);
    let took = started.elapsed();
    let said = String::from_utf8_lossy(&running.stderr()?).into_owned();
    if end != End::Exit(STALLED) {
        return Err(format!("{end} instead of {STALLED}: {said}"));
    }
    if took > STALL_AFTER + ALLOWANCE {
        return Err(format!("it took {} s to give up", took.as_secs()));
    }
    for thread in ["\"main\"", "\"reader\""] {
        if !said.contains(thread) {
            return Err(format!("it does not name {thread}: {said}"));
        }
    }
    match Report::read(&report)?.verdict {
        Replayed::Stalled => Ok(()),
        other => Err(format!("the verdict is {other:?}: {said}")),
    }
}
