//! A debugger that suspends one thread of a replay does not stop another that shares nothing with it.

use super::jdb::{self, Jdb};
use super::{Harness, Tally, same_result};
use crate::jdk::Jdk;
use crate::process::{self, Running};
use crate::programs::Compiled;
use crate::reweave::Enforcement;
use crate::trial::LIMIT;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

const PROGRAM: &str = "two-locks";

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("one thread of a replay suspended");
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, jdk, &compiled));
        tally.check(
            &format!("the other thread of {PROGRAM} goes on, JDK {}", jdk.major),
            result,
        );
    }
}

fn once(harness: &Harness, jdk: &Jdk, compiled: &Compiled) -> Result<(), String> {
    let recording = harness.scratch.join("suspended.rwv");
    let report = harness.scratch.join("report.json");
    let right_is_done = harness.scratch.join("right-is-done");
    // Neither recording nor program replaces what an earlier JDK's left.
    let _ = fs::remove_file(&recording);
    let _ = fs::remove_file(&right_is_done);
    let argument = right_is_done.to_string_lossy();
    let mut record = harness
        .reweave
        .record(&compiled.java_with(&[&argument]), &recording);
    let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
    fs::remove_file(&right_is_done)
        .map_err(|error| format!("the program made no file: {error}"))?;
    let port = jdb::free_port()?;
    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    // The file shows from outside how far the replay is.
    replay.arg("--side-effects").arg(format!("--debug={port}"));
    let mut running = Running::start(&mut replay, &harness.scratch)?;
    let mut jdb = Jdb::attach(jdk, port, &harness.scratch.join("jdb"))?;
    jdb.follow(&[
        ("stop thread in TwoLocks.left", "breakpoint"),
        ("cont", "Breakpoint hit"),
    ])?;
    appears(&right_is_done, &mut running)?;
    jdb.follow(&[
        ("threads", "at breakpoint"),
        ("clear TwoLocks.left", "Removed"),
        ("resume", "The application exited"),
    ])?;
    same_result(&recorded, &mut running, &report)
}

fn appears(file: &Path, running: &mut Running) -> Result<(), String> {
    let deadline = Instant::now() + LIMIT;
    while !file.exists() {
        if Instant::now() > deadline {
            return Err("the thread `right` stands still while `left` is suspended".to_owned());
        }
        thread::sleep(Duration::from_millis(20));
    }
    match running.ended() {
        None => Ok(()),
        Some(end) => Err(format!(
            "the replay ended while `left` was suspended: {end}"
        )),
    }
}
