//! Every program on every JDK: record it a few times, replay each recording once, and compare what a user can see.

use super::{Harness, LIMIT, Tally};
use crate::process;
use crate::programs::{Compiled, Kind};
use crate::reweave::{Enforcement, Report};

const RECORDINGS: usize = 3;

pub fn check(harness: &Harness, tally: &mut Tally) {
    for jdk in &harness.jdks {
        tally.heading(&format!("record and replay, {jdk}"));
        for program in &harness.programs {
            if program.kind == Kind::Deadlock {
                continue;
            }
            let name = format!("{} on JDK {}", program.name, jdk.major);
            let result = program.compile(jdk).and_then(|compiled| {
                (0..RECORDINGS).try_for_each(|number| {
                    once(harness, &compiled).map_err(|why| format!("recording {number}: {why}"))
                })
            });
            tally.check(&name, result);
        }
    }
}

/// One recording and one replay of it.
fn once(harness: &Harness, compiled: &Compiled) -> Result<(), String> {
    let program = compiled.program;
    let recording = harness.scratch.join(format!("{}.rwv", program.name));
    let report = harness.scratch.join("report.json");
    // A recording is never written over an older one.
    let _ = std::fs::remove_file(&recording);
    let recorded = process::run(
        &mut harness.reweave.record(&compiled.java(), &recording),
        LIMIT,
        &harness.scratch,
    )?;
    program
        .check(&recorded)
        .map_err(|why| format!("while recording: {why}"))?;
    let replayed = process::run(
        &mut harness.reweave.replay(&recording, &report, Enforcement::On),
        LIMIT,
        &harness.scratch,
    )?;
    if let Some(difference) = program
        .result(&recorded)
        .difference(&program.result(&replayed))
    {
        return Err(format!("{difference}\n{}", replayed.stderr_text()));
    }
    match Report::read(&report)?.verdict.as_str() {
        Report::FOLLOWED => Ok(()),
        verdict => Err(format!(
            "the output is the same, but the verdict is {verdict}"
        )),
    }
}
