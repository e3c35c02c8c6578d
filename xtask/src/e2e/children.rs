//! A program that starts JVMs of its own: one recording holds them all, and a replay repeats each.

use super::{Harness, Tally};
use crate::process;
use crate::programs::Compiled;
use crate::trial::LIMIT;

const PROGRAM: &str = "children";
/// The program and the two it starts.
const PROCESSES: usize = 3;

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("a program that starts JVMs");
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, &compiled));
        tally.check(
            &format!("{PROGRAM} and theirs replay, JDK {}", jdk.major),
            result,
        );
    }
}

fn once(harness: &Harness, compiled: &Compiled) -> Result<(), String> {
    let trial = harness.bench().trial(compiled)?;
    if let Some(why) = trial.wrong {
        return Err(why);
    }
    let text = process::run(
        &mut harness.reweave.json("info", &trial.recording),
        LIMIT,
        &harness.scratch,
    )?
    .success("reweave info")?;
    let info: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("info is not JSON: {error}"))?;
    match info.get("processes").and_then(|list| list.as_array()) {
        Some(processes) if processes.len() == PROCESSES => Ok(()),
        other => Err(format!(
            "info does not show {PROCESSES} processes: {other:?}"
        )),
    }
}
