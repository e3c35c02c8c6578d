//! A program that was compiled anew since it was recorded: a replay refuses and names the class. Told to go on it may diverge, but ends.

use super::{Harness, Tally};
use crate::jdk::Jdk;
use crate::process::{self, End};
use crate::programs;
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use crate::workspace;
use std::fs;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "programs/java/debugged/Debugged.java";
const CLASS: &str = "Debugged";
/// What the change replaces by what.
const CHANGE: (&str, &str) = ("SALES = 200", "SALES = 201");
const REFUSED: i32 = 125;
const DIVERGED: i32 = 10;

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("a program changed since it was recorded");
    for jdk in &harness.jdks {
        tally.check(
            &format!(
                "{CLASS} is refused, and ends when forced, JDK {}",
                jdk.major
            ),
            once(harness, jdk),
        );
    }
}

fn once(harness: &Harness, jdk: &Jdk) -> Result<(), String> {
    let recording = harness.scratch.join("changed.rwv");
    let report = harness.scratch.join("report.json");
    let folder = harness.scratch.join("changed");
    let _ = fs::remove_file(&recording);
    workspace::create(&folder)?;
    let source = fs::read_to_string(workspace::root().join(SOURCE))
        .map_err(|error| format!("cannot read {SOURCE}: {error}"))?;
    let changed = source.replace(CHANGE.0, CHANGE.1);
    if changed == source {
        return Err(format!("{SOURCE} does not contain `{}`", CHANGE.0));
    }
    compile(jdk, &folder, &source)?;
    let mut java = Command::new(jdk.java());
    java.arg("-cp").arg(&folder).arg(CLASS);
    process::run(
        &mut harness.reweave.record(&java, &recording),
        LIMIT,
        &harness.scratch,
    )?
    .success("the recording")?;
    compile(jdk, &folder, &changed)?;

    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    let refused = process::run(&mut replay, LIMIT, &harness.scratch)?;
    let said = refused.stderr_text();
    if refused.end != End::Exit(REFUSED) || !said.contains(&format!("class {CLASS} ")) {
        return Err(format!("it is not refused: {}: {said}", refused.end));
    }
    replay.arg("--ignore-changes");
    let forced = process::run(&mut replay, LIMIT, &harness.scratch)?;
    match forced.end {
        End::Exit(0 | DIVERGED) => Ok(()),
        end => Err(format!(
            "with --ignore-changes: {end}\n{}",
            forced.stderr_text()
        )),
    }
}

fn compile(jdk: &Jdk, folder: &Path, source: &str) -> Result<(), String> {
    let path = folder.join(format!("{CLASS}.java"));
    fs::write(&path, source)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    programs::compile(jdk, &path, folder, None)
}
