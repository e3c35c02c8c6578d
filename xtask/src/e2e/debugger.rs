//! A debugger attaches to a replay, stops it, looks around, calls methods and lets it go: the replay must not notice.

use super::jdb::{self, Jdb, Line};
use super::{Harness, Tally, same_result};
use crate::jdk::Jdk;
use crate::process::{self, Running};
use crate::programs::Compiled;
use crate::reweave::Enforcement;
use crate::trial::LIMIT;

const SCRIPTS: &[(&str, &[Line])] = &[
    (
        "three-waiters",
        &[
            ("stop in ThreeWaiters$Desk.open", "breakpoint"),
            ("cont", "Breakpoint hit"),
            ("where", "ThreeWaiters$Desk.open"),
            ("print number", "number = 1"),
            ("print this.waiting", "this.waiting = 0"),
            ("threads", "Group main"),
            ("next", "Step completed"),
            ("step", "Step completed"),
            ("clear ThreeWaiters$Desk.open", "Removed"),
            ("cont", "The application exited"),
        ],
    ),
    // The debugger is the first to synchronize on the ledger, several times; the program does so only at its end.
    (
        "debugged",
        &[
            ("stop in Debugged.book", "breakpoint"),
            ("cont", "Breakpoint hit"),
            ("where", "Debugged.sell"),
            ("locals", "clerk ="),
            ("print Debugged.ledger.peek()", "peek() = 0"),
            ("print Debugged.ledger.peek()", "peek() = 0"),
            ("threads", "clerk-"),
            ("next", "Step completed"),
            ("next", "Step completed"),
            ("print Debugged.ledger.peek()", "peek() = 1"),
            ("step", "Step completed"),
            ("cont", "Breakpoint hit"),
            ("print Debugged.ledger.peek()", "peek() = 1"),
            ("clear Debugged.book", "Removed"),
            ("cont", "The application exited"),
        ],
    ),
];

pub fn check(harness: &Harness, tally: &mut Tally) {
    tally.heading("a debugger during replay");
    for (name, script) in SCRIPTS {
        let Some(program) = harness.program(name) else {
            continue;
        };
        for jdk in &harness.jdks {
            let result = program
                .compile(jdk)
                .and_then(|compiled| once(harness, jdk, &compiled, script));
            tally.check(&format!("jdb on {name}, JDK {}", jdk.major), result);
        }
    }
}

fn once(harness: &Harness, jdk: &Jdk, compiled: &Compiled, script: &[Line]) -> Result<(), String> {
    let recording = harness.scratch.join("debugged.rwv");
    let report = harness.scratch.join("report.json");
    let _ = std::fs::remove_file(&recording);
    let mut record = harness.reweave.record(&compiled.java(), &recording);
    let recorded = process::run(&mut record, LIMIT, &harness.scratch)?;
    let port = jdb::free_port()?;
    let mut replay = harness.reweave.replay(&recording, &report, Enforcement::On);
    replay.arg(format!("--debug={port}"));
    let mut running = Running::start(&mut replay, &harness.scratch)?;
    Jdb::attach(jdk, port, &harness.scratch.join("jdb"))?.follow(script)?;
    same_result(&recorded, &mut running, &report)
}
