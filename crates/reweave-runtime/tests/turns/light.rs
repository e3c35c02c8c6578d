//! Streams whose threads must not block.

use super::{NOWHERE, T1, T2, check_goes, turns};
use reweave_runtime::turns::{Turn, Turns};
use reweave_trace::Kind;

const ONE_AFTER_THE_OTHER: &str = "
    t1 acquire m
    t2 acquire m
";

/// Asks in the place of the second thread.
fn ask(turns: &Turns) -> Turn {
    turns.enter(T2, Kind::Acquire, NOWHERE)
}

#[test]
fn a_light_stream_is_told_to_come_again() {
    let turns = turns(ONE_AFTER_THE_OTHER);
    turns.make_light(T2);
    assert_eq!(ask(&turns), Turn::Later);
    // Woken by something else: it asks once more, and is not noted twice.
    assert_eq!(ask(&turns), Turn::Later);
    check_goes(&turns, T1, Kind::Acquire);
    assert_eq!(turns.next_to_unpark(), T2);
    assert_eq!(ask(&turns), Turn::Go);
    turns.done(T2);
}

#[test]
fn a_light_stream_whose_turn_it_is_goes_on() {
    let turns = turns(ONE_AFTER_THE_OTHER);
    turns.make_light(T2);
    check_goes(&turns, T1, Kind::Acquire);
    assert_eq!(ask(&turns), Turn::Go);
}
