//! The same flaky test in a test worker of Gradle. Debian's Gradle is 4.4, which runs on JDK 17 and knows JUnit 4.

use super::surefire::copy_of;
use super::{Harness, Tally};
use crate::jdk::Jdk;
use crate::process::{self, End};
use crate::reweave::{Enforcement, Replayed, Report};
use crate::setup::{self, Need};
use std::fs;
use std::time::Duration;

const PROJECT: &str = "programs/tools/deposits-gradle";
const FILES: &[&str] = &["build.gradle", "src/test/java/DepositsTest.java"];
/// The last JDK that this Gradle runs on.
const NEWEST: u32 = 17;
/// Gradle's code for a build that failed.
const FAILED: i32 = 1;
const PATIENCE: Duration = Duration::from_secs(1500);
const MOST_RUNS: &str = "40";

pub fn check(harness: &Harness, tally: &mut Tally) {
    let fits = |jdk: &&Jdk| jdk.major <= NEWEST;
    let Some(jdk) = harness.jdks.iter().find(fits) else {
        return;
    };
    if harness.programs.is_empty() {
        return;
    }
    tally.heading("a flaky test in a worker of Gradle 4.4");
    let result = setup::ensure(Need::Gradle).and_then(|()| once(harness, jdk));
    tally.check_with(&format!("gradle, JDK {}", jdk.major), result);
}

fn once(harness: &Harness, jdk: &Jdk) -> Result<String, String> {
    let scratch = &harness.scratch;
    let folder = copy_of(PROJECT, FILES, scratch)?;
    let recording = scratch.join("gradle.rwv");
    let report = scratch.join("report.json");
    let _ = fs::remove_file(&recording);
    let mut record = harness.reweave.command();
    record
        .args(["record", "--until-fail", MOST_RUNS, "-o"])
        .arg(&recording)
        .args([
            "--",
            "gradle",
            "--offline",
            "--no-daemon",
            "cleanTest",
            "test",
        ])
        .current_dir(&folder)
        .env("JAVA_HOME", &jdk.home);
    let recorded = process::run(&mut record, PATIENCE, scratch)?;
    let said = recorded.stderr_text();
    if recorded.end != End::Exit(FAILED)
        || !said.contains("DepositsTest > noneIsLost FAILED")
            && !recorded.stdout_text().contains("noneIsLost FAILED")
    {
        return Err(format!("the recording: {}\n{said}", recorded.end));
    }
    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    let replayed = process::run(&mut replay, PATIENCE, scratch)?;
    let verdict = Report::read(&report)?.verdict;
    match (replayed.end, verdict) {
        (End::Exit(FAILED), Replayed::Followed) => Ok("its replay follows".to_owned()),
        (end, verdict) => Err(format!(
            "the replay: {end}, {verdict:?}\n{}",
            replayed.stderr_text()
        )),
    }
}
