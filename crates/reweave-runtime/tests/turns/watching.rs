//! What the watcher says of replays that go on, that cannot, and that have come to their end.

use crate::{NOWHERE, T1, T2, T3, check_goes, in_background, turns, until_it_waits};
use reweave_runtime::turns::{Turn, Turns};
use reweave_runtime::watch::{self, Finding};
use reweave_trace::Kind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

struct Watch {
    stall_after: Duration,
    debugged: bool,
    cut: bool,
}

/// A watch that is to find only what can be seen at once.
const PATIENT: Watch = Watch {
    stall_after: LONG,
    debugged: false,
    cut: false,
};

impl Watch {
    /// Watches from now on, for ever.
    fn start(self, turns: &Arc<Turns>) -> Receiver<Finding> {
        let (sender, findings) = channel();
        let turns = turns.clone();
        std::thread::spawn(move || {
            let report = |finding| sender.send(finding).unwrap_or_default();
            watch::watch(&turns, self.stall_after, self.debugged, self.cut, report);
        });
        findings
    }
}

#[track_caller]
fn check_finding(findings: &Receiver<Finding>, expected: Finding) {
    assert_eq!(findings.recv_timeout(LONG / 2), Ok(expected));
}

#[track_caller]
fn check_silence(findings: &Receiver<Finding>, duration: Duration) {
    assert!(findings.recv_timeout(duration).is_err());
}

#[test]
fn a_thread_that_waits_for_one_that_does_not_come_is_a_stall() {
    let turns = turns("t2 acquire m\nt1 acquire m");
    in_background(&turns, T1, Kind::Acquire);
    until_it_waits(&turns, T1, 1, T2);
    check_finding(&PATIENT.start(&turns), Finding::Stalled);
    let sentences = watch::describe(&turns, |id| format!("t{id}"), |site| site.to_string());
    assert_eq!(
        sentences,
        [
            "t1: waits for t2 to acquire (position 1); 0 of 1 events done",
            "t2: not started; 0 of 1 events done"
        ]
    );
}

#[test]
fn a_thread_that_ended_early_is_a_stall() {
    let turns = turns("t2 value 5\nt2 acquire m\nt1 acquire m");
    check_goes(&turns, T2, Kind::Value);
    turns.ended(T2);
    in_background(&turns, T1, Kind::Acquire);
    until_it_waits(&turns, T1, 4, T2);
    check_finding(&PATIENT.start(&turns), Finding::Stalled);
    let sentences = watch::describe(&turns, |id| format!("t{id}"), |site| site.to_string());
    assert_eq!(sentences[1], "t2: ended early; 1 of 2 events done");
}

#[test]
fn threads_at_the_end_of_their_recording_are_no_stall() {
    let turns = turns("t1 value 5\nt2 value 6\nt3 value 7");
    for stream in [T1, T2] {
        check_goes(&turns, stream, Kind::Value);
        assert_eq!(turns.enter(stream, Kind::Park, NOWHERE), Turn::End);
    }
    check_goes(&turns, T3, Kind::Value);
    turns.ended(T3);
    check_finding(&PATIENT.start(&turns), Finding::AllAtEnd);
    let sentences = watch::describe(&turns, |id| format!("t{id}"), |site| site.to_string());
    let stopped = |thread| format!("t{thread}: stopped before park at 0; 1 of 1 events done");
    assert_eq!(sentences, [stopped(1), stopped(2)]);
}

#[test]
fn nothing_is_found_before_anything_started() {
    let turns = turns("t1 value 5");
    check_silence(&PATIENT.start(&turns), Duration::from_millis(800));
}

/// The second thread computes, then sleeps; meanwhile the first waits for it.
#[test]
fn a_thread_that_computes_is_no_stall_and_one_that_sleeps_is() {
    let turns = turns("t1 start t2\nt2 acquire m\nt1 acquire m");
    check_goes(&turns, T1, Kind::Start);
    let other = turns.clone();
    std::thread::spawn(move || {
        other.started(T2);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(2_500) {
            std::hint::spin_loop();
        }
        std::thread::sleep(LONG);
    });
    in_background(&turns, T1, Kind::Acquire);
    until_it_waits(&turns, T1, 1, T2);
    let watch = Watch {
        stall_after: Duration::from_millis(900),
        ..PATIENT
    };
    let findings = watch.start(&turns);
    check_silence(&findings, Duration::from_millis(1_800));
    check_finding(&findings, Finding::Stalled);
}

/// Between the start of a thread and its first event there may be much to compute, or a breakpoint.
#[test]
fn a_thread_that_was_started_runs() {
    let turns = turns("t1 start t2\nt2 acquire m\nt1 acquire m");
    check_goes(&turns, T1, Kind::Start);
    in_background(&turns, T1, Kind::Acquire);
    until_it_waits(&turns, T1, 1, T2);
    let findings = PATIENT.start(&turns);
    let debugged = Watch {
        stall_after: Duration::from_millis(1),
        debugged: true,
        ..PATIENT
    };
    check_silence(&debugged.start(&turns), Duration::from_millis(800));
    check_silence(&findings, Duration::from_millis(1));
    check_goes(&turns, T2, Kind::Acquire);
}

/// Perhaps for a lock that a thread at its end holds.
#[test]
fn where_everybody_sleeps_before_the_end_it_is_a_stall() {
    let turns = turns("t1 value 5\nt1 value 6\nt2 value 7");
    check_goes(&turns, T2, Kind::Value);
    assert_eq!(turns.enter(T2, Kind::Park, NOWHERE), Turn::End);
    std::thread::spawn({
        let turns = turns.clone();
        move || {
            check_goes(&turns, T1, Kind::Value);
            std::thread::sleep(LONG);
        }
    });
    let watch = |stall_after, debugged| Watch {
        stall_after,
        debugged,
        ..PATIENT
    };
    let soon = Duration::from_millis(900);
    let (patient, debugged) = (watch(LONG, false), watch(soon, true));
    let silent = [patient.start(&turns), debugged.start(&turns)];
    check_finding(&watch(soon, false).start(&turns), Finding::Stalled);
    for findings in silent {
        check_silence(&findings, Duration::from_millis(100));
    }
}

#[test]
fn where_a_recording_was_cut_a_thread_that_sleeps_is_at_its_end() {
    let turns = turns("t1 value 5");
    let cut = |cut| Watch { cut, ..PATIENT }.start(&turns);
    std::thread::spawn({
        let turns = turns.clone();
        move || {
            check_goes(&turns, T1, Kind::Value);
            std::thread::sleep(LONG);
        }
    });
    let whole = cut(false);
    check_finding(&cut(true), Finding::AllAtEnd);
    check_silence(&whole, Duration::from_millis(1));
}
