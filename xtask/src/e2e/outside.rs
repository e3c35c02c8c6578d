//! Threads and classes left out of a recording: the user is told how often they used recorded locks, and the rest replays.

use super::{Harness, Tally};
use crate::process::{self, End};
use crate::programs::Compiled;
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use std::fs;

const PROGRAM: &str = "outsiders";
const LEFT_OUT: &[[&str; 2]] = &[
    ["--exclude-thread", "guest*"],
    ["--exclude", "Outsiders$Guest"],
];

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("threads and classes left out");
    for jdk in &harness.jdks {
        for left_out in LEFT_OUT {
            let result = program
                .compile(jdk)
                .and_then(|compiled| once(harness, &compiled, left_out));
            let name = format!("{PROGRAM} with {}, JDK {}", left_out.join(" "), jdk.major);
            tally.check(&name, result);
        }
    }
}

fn once(harness: &Harness, compiled: &Compiled, left_out: &[&str]) -> Result<(), String> {
    let recording = harness.scratch.join("outside.rwv");
    let report = harness.scratch.join("report.json");
    let _ = fs::remove_file(&recording);
    let java = compiled.java();
    // Not quiet: warnings are what this looks for.
    let mut record = harness.reweave.command();
    record
        .arg("record")
        .args(left_out)
        .arg("-o")
        .arg(&recording)
        .arg("--")
        .arg(java.get_program())
        .args(java.get_args());
    let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
    let said = recorded.stderr_text();
    recorded.success("the recording")?;
    if !said.lines().any(says_how_often) {
        return Err(format!(
            "no warning says how often recorded locks were used from outside: {said}"
        ));
    }
    let replayed = process::run(
        &mut harness.reweave.replay(&recording, &report, Enforcement::On),
        LIMIT,
        &harness.scratch,
    )?;
    match replayed.end {
        End::Exit(0) => Ok(()),
        end => Err(format!("the replay: {end}\n{}", replayed.stderr_text())),
    }
}

fn says_how_often(line: &str) -> bool {
    line.contains("warning")
        && line.contains("outside the recording used a recorded lock")
        && line.contains(|c: char| c.is_ascii_digit())
}
