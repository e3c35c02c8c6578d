//! Threads: what orders their accesses and what does not.

use super::{check_races, described, findings};
use reweave_analysis::races::findings::Locking;
use reweave_analysis::races::rules::{Rule, RuleSet};

#[test]
fn unlocked_writes_race() {
    check_races(
        "t1 fork t2
         t2 thread-begin
         t1 write x
         t2 write x",
        &["3 and 4, multi-threaded"],
    );
}

#[test]
fn what_threads_are_given_and_leave_is_ordered() {
    check_races(
        "t1 write x
         t1 fork t2
         t2 thread-begin
         t2 write x
         t2 thread-end
         t1 join t2
         t1 write x",
        &[],
    );
}

#[test]
fn locks_order_only_who_takes_the_same_one() {
    check_races(
        "t1 acquire m
         t1 write x @ a
         t1 release m
         t2 acquire m
         t2 write x @ b
         t2 release m
         t3 acquire n
         t3 write x @ c
         t3 release n",
        &["2 and 8, multi-threaded", "5 and 8, multi-threaded"],
    );
}

#[test]
fn the_lock_that_most_accesses_hold_was_expected() {
    let trace = "
        t1 acquire m
        t1 write x @ a
        t1 release m
        t2 acquire m
        t2 write x @ b
        t2 release m
        t3 read x";
    let found = findings(trace, RuleSet::ALL);
    assert_eq!(
        described(&found),
        ["2 and 7, multi-threaded", "5 and 7, multi-threaded"]
    );
    for race in &found.races {
        assert!(
            race.locking.was_expected(),
            "{:?}: two of three accesses hold the lock",
            race.locking
        );
    }
    let unlocked = findings("t1 write x\nt2 write x", RuleSet::ALL);
    assert_eq!(unlocked.races[0].locking, Locking::None);
    assert!(!unlocked.races[0].locking.was_expected());
}

#[test]
fn a_volatile_flag_publishes_and_never_races() {
    check_races(
        "t1 write data
         t1 volatile-write ready
         t2 volatile-read ready
         t2 read data
         t3 volatile-write ready
         t2 volatile-read ready",
        &[],
    );
}

#[test]
fn a_broken_flag_races_and_does_not_publish() {
    check_races(
        "t1 write data
         t1 write ready
         t2 read ready
         t2 read data",
        &["2 and 3, multi-threaded", "1 and 4, multi-threaded"],
    );
}

#[test]
fn an_atomic_update_orders_both_ways() {
    check_races(
        "t1 write x
         t1 volatile-update counter
         t2 volatile-update counter
         t2 write x
         t2 volatile-update counter
         t1 volatile-update counter
         t1 write x",
        &[],
    );
}

#[test]
fn wait_comes_after_the_notify_that_ended_it() {
    check_races(
        "t1 write x
         t1 notify t2
         t2 wait
         t2 read x",
        &[],
    );
}

#[test]
fn park_comes_after_unpark() {
    check_races(
        "t1 write x
         t1 unpark t2
         t2 park
         t2 read x
         t3 read x",
        &["1 and 5, multi-threaded"],
    );
}

#[test]
fn executors_order_submission_run_and_result() {
    check_races(
        "t1 write x
         t1 submit future
         worker job-begin future
         worker write x
         worker job-end future
         t1 write y
         t1 await future
         t1 read x
         worker read y",
        &["6 and 9, multi-threaded"],
    );
}

#[test]
fn class_initialisation_publishes_statics() {
    check_races(
        "t1 write Config.instance
         t1 class-ready Config
         t2 class-use Config
         t2 read Config.instance
         t3 read Config.instance",
        &["1 and 5, multi-threaded"],
    );
}

#[test]
fn double_checked_locking_races_on_the_unlocked_read() {
    check_races(
        "t1 read instance @ get(A.java:3)
         t1 acquire A
         t1 read instance @ get(A.java:5)
         t1 write Foo#1.value @ Foo.new(Foo.java:2)
         t1 write instance @ get(A.java:6)
         t1 release A
         t2 read instance @ get(A.java:3)
         t2 read Foo#1.value @ use(A.java:9)",
        &["5 and 7, multi-threaded", "4 and 8, multi-threaded"],
    );
}

const SPIN: &str = "
    t1 write data
    t1 write stop
    t2 read stop @ spin(A.java:3)
    t2 read stop @ spin(A.java:3)
    t2 read stop @ spin(A.java:3)
    t2 read data @ use(A.java:5)";

#[test]
fn a_loop_that_waits_for_a_write_comes_after_it() {
    let waits = "
        t1 write data
        t2 read stop @ spin(A.java:3)
        t2 read stop @ spin(A.java:3)
        t2 read stop @ spin(A.java:3)
        t1 write stop
        t2 read stop @ spin(A.java:3)
        t2 read data @ use(A.java:5)";
    check_races(waits, &[]);
    let strict = findings(waits, RuleSet::ALL.without(Rule::AdHoc));
    assert!(
        described(&strict).contains(&"1 and 7, multi-threaded".to_owned()),
        "{:?}",
        described(&strict)
    );
    // Reading one value again and again is no waiting.
    assert!(!findings(SPIN, RuleSet::ALL).races.is_empty());
}
