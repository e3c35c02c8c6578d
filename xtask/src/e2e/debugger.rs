//! A debugger attaches to a replay, stops it, looks around and lets it go: the replay must not notice.

use super::{Harness, Tally};
use crate::jdk::Jdk;
use crate::process::{self, Running};
use crate::programs::{Compiled, ProgramResult};
use crate::reweave::{Enforcement, Replayed, Report};
use crate::trial::LIMIT;
use std::fs::File;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PROGRAM: &str = "three-waiters";

/// What is typed into jdb, with a pause before each line for the program to get there.
const SCRIPT: &[&str] = &[
    "stop in ThreeWaiters$Desk.open",
    "cont",
    "where",
    "print number",
    "print this.waiting",
    "threads",
    "next",
    "step",
    "clear ThreeWaiters$Desk.open",
    "cont",
];
const PAUSE: Duration = Duration::from_millis(700);

pub fn check(harness: &Harness, tally: &mut Tally) {
    let Some(program) = harness.program(PROGRAM) else {
        return;
    };
    tally.heading("a debugger during replay");
    for jdk in &harness.jdks {
        let result = program
            .compile(jdk)
            .and_then(|compiled| once(harness, jdk, &compiled));
        tally.check(&format!("jdb on {PROGRAM}, JDK {}", jdk.major), result);
    }
}

fn once(harness: &Harness, jdk: &Jdk, compiled: &Compiled) -> Result<(), String> {
    let recording = harness.scratch.join("debugged.rwv");
    let report = harness.scratch.join("report.json");
    let _ = std::fs::remove_file(&recording);
    let mut record = harness.reweave.record(&compiled.java(), &recording);
    let recorded = compiled
        .program
        .result(&process::run(&mut record, LIMIT, &harness.scratch)?);
    let port = free_port()?;
    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    replay.arg(format!("--debug={port}"));
    let mut running = Running::start(&mut replay, &harness.scratch)?;
    let seen = debug(jdk, port, &harness.scratch.join("jdb"))?;
    let end = running.wait(LIMIT);
    let replayed = ProgramResult {
        end,
        stdout: running.stdout()?,
        stderr: recorded.stderr.clone(),
    };
    for sign in [
        "Breakpoint hit",
        "number = 1",
        "this.waiting = 0",
        "Step completed",
    ] {
        if !seen.contains(sign) {
            return Err(format!("jdb does not show `{sign}`:\n{seen}"));
        }
    }
    if let Some(difference) = recorded.difference(&replayed) {
        let stderr = running.stderr()?;
        return Err(format!(
            "{difference}\n{}",
            String::from_utf8_lossy(&stderr)
        ));
    }
    match Report::read(&report)?.verdict {
        Replayed::Followed => Ok(()),
        other => Err(format!(
            "the output is the same, but the verdict is {other:?}"
        )),
    }
}

/// Attaches jdb, types the script, and returns what it printed.
fn debug(jdk: &Jdk, port: u16, output: &Path) -> Result<String, String> {
    let started = Instant::now();
    loop {
        let seen = attach(jdk, port, output)?;
        // The JVM takes a while to open its port.
        let refused = seen.contains("Connection refused");
        if !refused || started.elapsed() > Duration::from_secs(15) {
            return Ok(seen);
        }
        thread::sleep(Duration::from_millis(200));
    }
}

fn attach(jdk: &Jdk, port: u16, output: &Path) -> Result<String, String> {
    let file = File::create(output)
        .map_err(|error| format!("cannot create {}: {error}", output.display()))?;
    let errors = file.try_clone().map_err(|error| error.to_string())?;
    let mut jdb = Command::new(jdk.home.join("bin/jdb"))
        .args(["-attach", &format!("127.0.0.1:{port}")])
        .stdin(Stdio::piped())
        .stdout(file)
        .stderr(errors)
        .spawn()
        .map_err(|error| format!("cannot start jdb: {error}"))?;
    let mut keyboard = jdb.stdin.take().expect("stdin is piped");
    for line in SCRIPT {
        thread::sleep(PAUSE);
        // When jdb has ended, what it printed says why.
        if jdb.try_wait().is_ok_and(|ended| ended.is_some())
            || writeln!(keyboard, "{line}").is_err()
        {
            break;
        }
    }
    // It ends with the program it is attached to.
    let deadline = Instant::now() + LIMIT;
    while jdb.try_wait().is_ok_and(|ended| ended.is_none()) {
        if Instant::now() > deadline {
            let _ = jdb.kill();
        }
        thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(output)
        .map_err(|error| format!("cannot read {}: {error}", output.display()))
}

fn free_port() -> Result<u16, String> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(|error| format!("no free port: {error}"))
}
