//! Accesses to memory are counted, and wait where the recording says so.

use super::*;
use reweave_runtime::turns::Beyond;
use std::sync::atomic::Ordering;

/// An access as a front end makes it: asks if the slot says so, and tells if others want to know.
fn access(turns: &Turns, stream: StreamId) -> Turn {
    let slot = turns.slots().get(stream.0).expect("a stream");
    let number = slot.count.load(Ordering::SeqCst) + 1;
    if number >= slot.ask_at.load(Ordering::SeqCst) {
        let turn = turns.enter_access(stream, NOWHERE);
        if turn != Turn::Go {
            return turn;
        }
    }
    slot.count.store(number, Ordering::SeqCst);
    if number >= slot.tell_at.load(Ordering::SeqCst) {
        turns.tell_accesses(stream);
    }
    Turn::Go
}

#[track_caller]
fn check_accesses(turns: &Turns, stream: StreamId, count: usize) {
    for _ in 0..count {
        assert_eq!(access(turns, stream), Turn::Go);
    }
}

#[test]
fn an_access_waits_for_those_of_another_stream() {
    let turns = turns(
        "
        t2 order 3 after t1 5
        t1 acquire m
        ",
    );
    check_accesses(&turns, T2, 2);
    let third = {
        let turns = turns.clone();
        std::thread::spawn(move || check_accesses(&turns, T2, 10))
    };
    let waits = Activity::WaitingForAccesses(T1, 5);
    until("it waits", || turns.activity(T2) == waits);
    check_accesses(&turns, T1, 4);
    assert_eq!(turns.activity(T2), waits);
    check_accesses(&turns, T1, 1);
    third.join().expect("it goes on");
    assert_eq!(turns.slots().count(2), 12);
}

#[test]
fn one_access_may_wait_for_several() {
    let turns = turns(
        "
        t3 order 1 after t1 1
        t3 order 1 after t2 2
        t1 acquire m
        t2 acquire n
        ",
    );
    let first = {
        let turns = turns.clone();
        std::thread::spawn(move || check_accesses(&turns, T3, 1))
    };
    check_accesses(&turns, T1, 1);
    until("it waits for the second", || {
        turns.activity(T3) == Activity::WaitingForAccesses(T2, 2)
    });
    check_accesses(&turns, T2, 2);
    first.join().expect("it goes on");
}

#[test]
fn an_event_before_the_access_that_was_recorded_first_is_a_divergence() {
    let turns = turns(
        "
        t1 acquire m
        t2 order 2 after t1 1
        t2 acquire n
        ",
    );
    check_accesses(&turns, T1, 1);
    check_accesses(&turns, T2, 1);
    let Turn::Diverged(divergence) = turns.enter(T2, Kind::Acquire, NOWHERE) else {
        panic!("an access is missing");
    };
    assert_eq!(divergence.expected, Some((Kind::Order, NOWHERE)));
}

#[test]
fn an_access_before_the_event_that_was_recorded_first_is_a_divergence() {
    let turns = turns(
        "
        t1 acquire m
        t2 acquire n
        t2 order 2 after t1 1
        ",
    );
    check_accesses(&turns, T1, 1);
    check_accesses(&turns, T2, 1);
    let Turn::Diverged(divergence) = access(&turns, T2) else {
        panic!("an event is missing");
    };
    assert_eq!(divergence.expected, Some((Kind::Acquire, NOWHERE)));
    assert_eq!(divergence.observed, (Kind::Order, NOWHERE));
}

#[test]
fn where_a_recording_was_cut_accesses_stop() {
    let process = text::parse("t1 acquire m").expect("a trace");
    let turns = Turns::new(streams(&process), None).ending(Beyond::Stop);
    check_accesses(&turns, T1, 3);
    check_goes(&turns, T1, Kind::Acquire);
    assert_eq!(access(&turns, T1), Turn::End);
    assert_eq!(turns.activity(T1), Activity::AtEnd(Kind::Order, NOWHERE));
}
