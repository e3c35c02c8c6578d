//! The rule of the replay, on traces that a person can read.

mod accesses;
mod followed;
mod light;
mod random;
mod watching;

use reweave_runtime::turns::{Activity, Divergence, Turn, Turns};
use reweave_trace::event::first_word;
use reweave_trace::{Form, Kind, Link, Position, Process, SiteId, StreamId, text};
use std::sync::Arc;
use std::time::{Duration, Instant};

const T1: StreamId = StreamId(1);
const T2: StreamId = StreamId(2);
const T3: StreamId = StreamId(3);
const NOWHERE: SiteId = SiteId(0);

/// The words of stream k + 1 at index k.
fn streams(process: &Process) -> Vec<Vec<u64>> {
    let count = process.threads.last().map_or(0, |last| last.stream.0);
    let words = |id| {
        process
            .thread(StreamId(id))
            .map(|thread| thread.words.clone())
    };
    (1..=count)
        .map(|id| words(id).unwrap_or_default())
        .collect()
}

fn turns(text: &str) -> Arc<Turns> {
    let process = text::parse(text).expect("a trace");
    Arc::new(Turns::new(streams(&process), None))
}

#[track_caller]
fn check_goes(turns: &Turns, stream: StreamId, kind: Kind) {
    assert_eq!(turns.enter(stream, kind, NOWHERE), Turn::Go);
    turns.done(stream);
}

/// An event of a stream on a thread of its own; the thread ends when the event is done.
fn in_background(turns: &Arc<Turns>, stream: StreamId, kind: Kind) -> std::thread::JoinHandle<()> {
    let turns = turns.clone();
    std::thread::spawn(move || check_goes(&turns, stream, kind))
}

#[track_caller]
fn until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[track_caller]
fn until_it_waits(turns: &Turns, stream: StreamId, position: u64, target: StreamId) {
    let activity = Activity::Waiting(Link::new(target, Position(position)));
    until("it waits", || turns.activity(stream) == activity);
}

#[test]
fn an_event_waits_for_its_predecessor_and_for_nobody_else() {
    let turns = turns(
        "
        t1 acquire m
        t2 acquire m
        t3 acquire n
        ",
    );
    let second = in_background(&turns, T2, Kind::Acquire);
    until_it_waits(&turns, T2, 1, T1);
    check_goes(&turns, T3, Kind::Acquire);
    assert!(!second.is_finished());
    check_goes(&turns, T1, Kind::Acquire);
    second.join().expect("it goes on");
    assert_eq!(turns.steps(), 3);
}

#[test]
fn a_wait_comes_after_its_notify_though_the_lock_is_free() {
    let turns = turns(
        "
        t2 notify n
        t1 wait m by 2
        ",
    );
    let waiter = in_background(&turns, T1, Kind::Wait);
    until_it_waits(&turns, T1, 1, T2);
    check_goes(&turns, T2, Kind::Notify);
    waiter.join().expect("it goes on");
}

#[test]
fn whoever_follows_an_acquire_waits_for_all_its_repetitions() {
    let turns = turns(
        "
        t1 acquire m
        t1 repeat 2
        t2 acquire m
        ",
    );
    let second = in_background(&turns, T2, Kind::Acquire);
    for _ in 0..2 {
        check_goes(&turns, T1, Kind::Acquire);
        until_it_waits(&turns, T2, 1, T1);
        assert_eq!(turns.progress(T1), (0, 3));
    }
    check_goes(&turns, T1, Kind::Acquire);
    second.join().expect("it goes on");
    assert_eq!(turns.progress(T1), (3, 3));
    assert_eq!(turns.events_in(T1, 3), 3);
    assert_eq!(turns.enter(T1, Kind::Acquire, NOWHERE), Turn::End);
}

#[test]
fn a_static_initialiser_may_run_between_two_repetitions() {
    let turns = turns(
        "
        t1 acquire m
        c2 class-init t1
        c2 class-init-end
        t1 repeat 1
        ",
    );
    check_goes(&turns, T1, Kind::Acquire);
    check_goes(&turns, T2, Kind::ClassInit);
    check_goes(&turns, T2, Kind::ClassInitEnd);
    check_goes(&turns, T1, Kind::Acquire);
}

#[test]
fn what_threads_outside_did_is_no_operation() {
    let turns = turns(
        "
        t1 acquire m
        t2 foreign m
        t2 acquire m
        t2 foreign m
        t2 foreign m
        t2 notify m
        t2 foreign m
        ",
    );
    check_goes(&turns, T1, Kind::Acquire);
    check_goes(&turns, T2, Kind::Acquire);
    assert_eq!(turns.expected(T2), Some((Kind::Notify, NOWHERE)));
    check_goes(&turns, T2, Kind::Notify);
    assert_eq!(turns.enter(T2, Kind::Exit, NOWHERE), Turn::End);
    assert_eq!(turns.events_in(T2, 100), 2);
}

/// The recorder leaves the link of the mark in the object, not that of the operation behind it.
#[test]
fn a_link_to_a_mark_of_a_thread_outside_means_the_operation_behind_it() {
    let first = |kind, form| first_word(kind, form, NOWHERE, 0);
    let mark = Link::new(T1, Position(1)).pack();
    let turns = Arc::new(Turns::new(
        vec![
            vec![
                first(Kind::Foreign, Form::Linked),
                0,
                first(Kind::Acquire, Form::Linked),
                0,
            ],
            vec![first(Kind::Acquire, Form::Linked), mark],
        ],
        None,
    ));
    let second = in_background(&turns, T2, Kind::Acquire);
    until_it_waits(&turns, T2, 1, T1);
    check_goes(&turns, T1, Kind::Acquire);
    second.join().expect("it goes on");
}

#[test]
fn those_who_sleep_for_a_lock_can_be_woken_when_it_is_free() {
    let turns = turns("t1 acquire m\nt2 acquire m");
    let second = in_background(&turns, T2, Kind::Acquire);
    until_it_waits(&turns, T2, 1, T1);
    assert_eq!(turns.enter(T1, Kind::Acquire, NOWHERE), Turn::Go);
    assert!(turns.done_without_waking(T1));
    turns.wake_up(T1);
    second.join().expect("it goes on");
    assert_eq!(turns.enter(T1, Kind::Acquire, NOWHERE), Turn::End);
    assert!(!turns.done_without_waking(T1));
}

/// Whoever was to wake them may be stopped in a debugger.
#[test]
fn those_who_sleep_look_for_themselves_now_and_then() {
    let turns = turns("t1 acquire m\nt2 acquire m");
    let second = in_background(&turns, T2, Kind::Acquire);
    until_it_waits(&turns, T2, 1, T1);
    assert_eq!(turns.enter(T1, Kind::Acquire, NOWHERE), Turn::Go);
    turns.done_without_waking(T1);
    second.join().expect("it goes on");
}

/// A wake-up that is missed is made good a second later, so what shows it is time.
#[test]
fn no_wake_up_is_missed() {
    const TURNS: usize = 100_000;
    let turns = turns(&"t1 acquire m\nt2 acquire m\n".repeat(TURNS));
    let slowest = std::thread::scope(|scope| {
        let threads = [T1, T2].map(|stream| {
            let turns = &turns;
            scope.spawn(move || {
                let turn = || {
                    let start = Instant::now();
                    check_goes(turns, stream, Kind::Acquire);
                    start.elapsed()
                };
                (0..TURNS).map(|_| turn()).max()
            })
        });
        threads.map(|thread| thread.join().expect("no panic"))
    });
    assert!(slowest.iter().flatten().max() < Some(&Duration::from_millis(950)));
}

#[track_caller]
fn check_divergence(observed: (Kind, SiteId), expected: (Kind, SiteId)) {
    let turns = turns("t1 value 5\nt1 acquire m @Bank.java:12");
    check_goes(&turns, T1, Kind::Value);
    let divergence = Divergence {
        stream: T1,
        position: Position(4),
        expected: Some(expected),
        observed,
        detail: String::new(),
    };
    let turn = turns.enter(T1, observed.0, observed.1);
    assert_eq!(turn, Turn::Diverged(divergence));
    // It stays where it is.
    assert_eq!(turns.progress(T1), (3, 5));
}

#[test]
fn another_kind_or_another_place_is_a_divergence() {
    let place = turns("t1 acquire m @Bank.java:12").expected(T1);
    let (kind, site) = place.expect("an event");
    check_divergence((Kind::Notify, site), (kind, site));
    check_divergence((kind, NOWHERE), (kind, site));
}

#[test]
fn a_stream_without_events_is_at_its_end() {
    let turns = turns("t1 value 5\nt3 value 6");
    let site = SiteId(77);
    check_goes(&turns, T1, Kind::Value);
    for stream in [T1, T2] {
        assert_eq!(turns.enter(stream, Kind::Park, site), Turn::End);
        assert_eq!(turns.activity(stream), Activity::AtEnd(Kind::Park, site));
    }
    turns.ended(T1);
    assert_eq!(turns.activity(T1), Activity::Ended);
    assert_eq!(turns.activity(T3), Activity::NotStarted);
    // A thread that the recording does not have.
    assert_eq!(turns.enter(StreamId(9), Kind::Park, site), Turn::End);
    turns.done(StreamId(9));
    assert_eq!(turns.steps(), 1);
}

#[test]
fn values_are_given_and_compared() {
    let turns = turns("t1 value 5\nt1 output 1 4711 3");
    assert_eq!(turns.enter(T1, Kind::Value, NOWHERE), Turn::Go);
    assert_eq!(turns.value(T1), 5);
    turns.done(T1);
    assert_eq!(turns.enter(T1, Kind::Output, NOWHERE), Turn::Go);
    assert_eq!(turns.check(T1, 4711 << 32 | 3, "other text"), Ok(()));
    let divergence = turns.check(T1, 4711 << 32 | 4, "other text");
    assert_eq!(divergence.expect_err("differs").detail, "other text");
    turns.done(T1);
    assert_eq!(turns.value(T1), 0);
    assert_eq!(turns.check(T1, 1, ""), Ok(()));
}

#[test]
fn the_event_at_which_to_stop_is_told_once() {
    let process = text::parse("t1 value 5\nt1 acquire m\nt1 repeat 1\nt1 value 6");
    let goto = Link::new(T1, Position(4));
    let turns = Turns::new(streams(&process.expect("a trace")), Some(goto));
    check_goes(&turns, T1, Kind::Value);
    let acquire = || {
        let turn = turns.enter(T1, Kind::Acquire, NOWHERE);
        turns.done(T1);
        turn
    };
    assert_eq!([acquire(), acquire()], [Turn::StopHere, Turn::Go]);
    check_goes(&turns, T1, Kind::Value);
}

#[test]
fn a_stream_can_wait_for_an_event_that_it_is_not_linked_to() {
    let turns = turns("t1 value 5\nt2 value 6");
    let begin = Link::new(T2, Position::FIRST);
    assert!(!turns.has_happened(begin));
    let waiter = std::thread::spawn({
        let turns = turns.clone();
        move || turns.wait_until(T1, begin)
    });
    until_it_waits(&turns, T1, 1, T2);
    check_goes(&turns, T2, Kind::Value);
    waiter.join().expect("it goes on");
    assert!(turns.has_happened(begin));
    assert_eq!(turns.activity(T1), Activity::Running);
    check_goes(&turns, T1, Kind::Value);
}
