//! A program that deadlocks is recorded until it is stuck; the replay gets stuck in the same place and says who waits for whom.

use super::super::Harness;
use super::super::programs::{self, Build, Level};
use crate::e2e::Tally;
use crate::reweave::{Enforcement, Replayed};

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("a native program that deadlocks");
    for (level, build) in [
        (Level::Sync, Build::Plain),
        (Level::Serial, Build::Instrumented),
    ] {
        tally.check(&format!("deadlock, {level}"), once(harness, level, build));
    }
}

fn once(harness: &Harness, level: Level, build: Build) -> Result<(), String> {
    let program = programs::named("deadlock")?;
    let compiler = &harness.compilers[0];
    let binary = program.compile(harness, compiler, build)?;
    let trials = harness.trials();
    let mut options = program.record_options(level);
    options.extend(["--time-limit", "1s"].map(str::to_owned));
    let recorded = trials.record(&options, &[&binary.display().to_string()])?;
    let (replayed, verdict) = trials.replay(Enforcement::On)?;
    let complaint = replayed.stderr_text();
    match verdict? {
        Replayed::Deadlock => (),
        other => return Err(format!("the verdict is {other:?}\n{complaint}")),
    }
    if replayed.stdout != recorded.stdout {
        return Err("it printed something else".to_owned());
    }
    Ok(())
}
