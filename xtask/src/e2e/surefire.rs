//! A flaky test under Maven Surefire: `record --until-fail` keeps the run that failed, and its replay fails in the same way, under a debugger, too, and
//! without Maven. The rest of the build is not recorded.

use super::jdb::{self, Jdb, Line};
use super::{Harness, Tally};
use crate::jdk::Jdk;
use crate::process::{self, End, Running};
use crate::reweave::{Enforcement, Replayed, Report};
use crate::setup::{self, Need};
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PROJECT: &str = "programs/tools/deposits";
const FILES: &[&str] = &["pom.xml", "src/test/java/DepositsTest.java"];
/// Stops where the assertion fails.
const SCRIPT: &[Line] = &[
    ("catch org.opentest4j.AssertionFailedError", "Deferring"),
    ("cont", "Exception occurred"),
    ("where", "DepositsTest.noneIsLost"),
    // It is thrown on several times.
    ("ignore org.opentest4j.AssertionFailedError", "Removed"),
    ("cont", "The application"),
];
/// Maven's code for a build that failed.
const FAILED: i32 = 1;
/// Downloads included, or as many runs as it may take until one fails.
const PATIENCE: Duration = Duration::from_secs(1200);
const MOST_RUNS: &str = "60";

pub fn check(harness: &Harness, tally: &mut Tally) {
    if harness.programs.is_empty() {
        return;
    }
    tally.heading("a flaky test under Maven Surefire");
    if let Err(why) = setup::ensure(Need::Maven) {
        tally.check("Maven", Err(why));
        return;
    }
    // The launcher of newer JDKs keeps the jar open by its number in the file system, and a replay makes it anew: see docs/limits.md.
    for jdk in harness.jdks.iter().filter(|jdk| jdk.major == 17) {
        let result = once(harness, jdk);
        tally.check_with(&format!("surefire, JDK {}", jdk.major), result);
    }
}

fn once(harness: &Harness, jdk: &Jdk) -> Result<String, String> {
    let scratch = &harness.scratch;
    let folder = copy_of(PROJECT, FILES, scratch)?;
    // What it needs is fetched and compiled before anything is recorded.
    let mut compile = maven(jdk, &folder);
    compile.args(["test", "-Dmaven.test.failure.ignore=true"]);
    process::run(&mut compile, PATIENCE, scratch)?.success("mvn test")?;

    let recording = scratch.join("surefire.rwv");
    let _ = fs::remove_file(&recording);
    let mut record = harness.reweave.command();
    let maven = maven(jdk, &folder);
    record
        .args(["record", "--until-fail", MOST_RUNS, "-o"])
        .arg(&recording)
        .arg("--")
        .arg(maven.get_program())
        .args(maven.get_args())
        .args(["--offline", "test"]);
    set_up(&mut record, jdk, &folder);
    let recorded = process::run(&mut record, PATIENCE, scratch)?;
    let said = recorded.stderr_text();
    if recorded.end != End::Exit(FAILED) {
        return Err(format!("the recording: {}\n{said}", recorded.end));
    }
    let failure = failure_in(&recorded.stdout_text())?;
    let run = said
        .lines()
        .find_map(|line| line.split("failed in run ").nth(1))
        .ok_or_else(|| format!("nothing says in which run it failed:\n{said}"))?
        .to_owned();

    fails_in_the_same_way(harness, &recording, &failure)?;
    under_a_debugger(harness, jdk, &recording, &failure)?;
    Ok(format!(
        "failed in run {run} ({failure}), and so does its replay"
    ))
}

/// A copy of a project, to build in.
fn copy_of(project: &str, files: &[&str], scratch: &Path) -> Result<PathBuf, String> {
    let from = workspace::root().join(project);
    let folder = scratch.join(from.file_name().unwrap_or_default());
    let _ = fs::remove_dir_all(&folder);
    for name in files {
        let file = folder.join(name);
        workspace::create(file.parent().unwrap_or(&folder))?;
        fs::copy(from.join(name), file).map_err(|error| format!("cannot copy {name}: {error}"))?;
    }
    Ok(folder)
}

fn maven(jdk: &Jdk, folder: &Path) -> Command {
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--quiet"]);
    set_up(&mut maven, jdk, folder);
    maven
}

fn set_up(command: &mut Command, jdk: &Jdk, folder: &Path) {
    command.current_dir(folder).env("JAVA_HOME", &jdk.home);
}

/// What JUnit says: `expected: <120> but was: <117>`.
fn failure_in(text: &str) -> Result<String, String> {
    let found = text.split("expected: <").nth(1);
    let found = found.and_then(|rest| rest.split_once("> but was: <"));
    let found = found.and_then(|(expected, rest)| Some((expected, rest.split_once('>')?.0)));
    match found {
        Some((expected, was)) => Ok(format!("{was} instead of {expected}")),
        None => Err(format!("no failed assertion in:\n{text}")),
    }
}

fn fails_in_the_same_way(harness: &Harness, recording: &Path, failure: &str) -> Result<(), String> {
    let report = harness.scratch.join("report.json");
    let mut replay = harness.reweave.replay(recording, &report, Enforcement::On);
    let replayed = process::run(&mut replay, PATIENCE, &harness.scratch)?;
    let verdict = Report::read(&report)?.verdict;
    if replayed.end != End::Exit(FAILED) || verdict != Replayed::Followed {
        let complaint = replayed.stderr_text();
        return Err(format!(
            "the replay: {}, {verdict:?}\n{complaint}",
            replayed.end
        ));
    }
    same(failure, &replayed.stdout_text())
}

fn same(failure: &str, text: &str) -> Result<(), String> {
    match failure_in(text)? {
        again if again == failure => Ok(()),
        other => Err(format!("recorded {failure}, replayed {other}")),
    }
}

/// Stops where the assertion fails, looks around, and lets it end.
fn under_a_debugger(
    harness: &Harness,
    jdk: &Jdk,
    recording: &Path,
    failure: &str,
) -> Result<(), String> {
    let report = harness.scratch.join("report.json");
    let port = jdb::free_port()?;
    let mut replay = harness.reweave.replay(recording, &report, Enforcement::On);
    replay.arg(format!("--debug={port}"));
    let mut running = Running::start(&mut replay, &harness.scratch)?;
    let mut jdb = Jdb::attach(jdk, port, &harness.scratch.join("jdb"))?;
    jdb.follow(SCRIPT)?;
    let end = running.wait(PATIENCE);
    let complaint = String::from_utf8_lossy(&running.stderr()?).into_owned();
    let verdict = Report::read(&report)?.verdict;
    if end != End::Exit(FAILED) || verdict != Replayed::Followed {
        return Err(format!(
            "the replay with a debugger: {end}, {verdict:?}\n{complaint}"
        ));
    }
    same(failure, &String::from_utf8_lossy(&running.stdout()?))
}
