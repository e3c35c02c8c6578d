//! `replay --goto EVENT` says how to attach, a debugger finds itself at that event in the program, and the replay goes on from there.

use super::jdb::Jdb;
use super::{Harness, Tally, same_result};
use crate::jdk::Jdk;
use crate::process::{self, Running};
use crate::programs::Compiled;
use crate::trial::LIMIT;
use serde_json::Value;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

const PROGRAM: &str = "debugged";
/// Where the clerks take their lock, and which of those events to stop at: neither the first of them nor the last.
const METHOD: &str = "sell(";
const NTH: usize = 5;

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("replay to an event");
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, jdk, &compiled));
        tally.check(
            &format!("jdb finds itself there, JDK {}", jdk.major),
            result,
        );
    }
}

fn once(harness: &Harness, jdk: &Jdk, compiled: &Compiled) -> Result<(), String> {
    let recording = harness.scratch.join("goto.rwv");
    let report = harness.scratch.join("report.json");
    let _ = std::fs::remove_file(&recording);
    let mut record = harness.reweave.record(&compiled.java(), &recording);
    let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
    let event = event_in_the_middle(harness, &recording)?;
    let mut replay = harness.reweave.replay_with_notes(&recording, &report);
    replay.args(["--goto", &event.to_string()]);
    let mut running = Running::start(&mut replay, &harness.scratch)?;
    let port = announced_port(&mut running)?;
    let mut jdb = Jdb::attach(jdk, port, &harness.scratch.join("jdb"))?;
    jdb.wait_for_stop()?;
    jdb.follow(&[
        ("where", "Debugged.sell (Debugged.java:"),
        ("cont", "The application exited"),
    ])?;
    same_result(&recorded, &mut running, &report)
}

/// The number of an event in `METHOD`. What the main thread does meanwhile differs from recording to recording, so no fixed number
/// is always one of a clerk.
fn event_in_the_middle(harness: &Harness, recording: &Path) -> Result<u64, String> {
    let mut export = harness.reweave.command();
    export.args(["export", "--format", "json"]).arg(recording);
    let exported = process::run(&mut export, LIMIT, &harness.scratch)?;
    let exported: Value = serde_json::from_slice(&exported.stdout)
        .map_err(|error| format!("the export is not JSON: {error}"))?;
    let mut numbers = exported["processes"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|process| process["events"].as_array().into_iter().flatten())
        .filter(|event| {
            let method = event["site"]["method"].as_str();
            method.is_some_and(|method| method.starts_with(METHOD))
        })
        .filter_map(|event| event["number"].as_u64());
    numbers
        .nth(NTH)
        .ok_or_else(|| format!("the export has no {NTH} events in {METHOD}"))
}

/// The port in the line `jdb -attach 127.0.0.1:PORT`.
pub fn announced_port(running: &mut Running) -> Result<u16, String> {
    let deadline = Instant::now() + LIMIT;
    loop {
        let said = String::from_utf8_lossy(&running.stderr()?).into_owned();
        let port = said.lines().find_map(|line| {
            let (_, address) = line.split_once("jdb -attach 127.0.0.1:")?;
            address.trim().parse().ok()
        });
        match (port, running.ended()) {
            (Some(port), _) => return Ok(port),
            (None, Some(end)) => return Err(format!("{end}: {said}")),
            (None, None) if Instant::now() > deadline => {
                return Err(format!("it does not say how to attach: {said}"));
            }
            (None, None) => thread::sleep(Duration::from_millis(20)),
        }
    }
}
