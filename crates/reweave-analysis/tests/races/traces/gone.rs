//! Objects that are gone: their numbers are used again, and nothing of them clings to those.

use super::{check_races, findings};
use reweave_analysis::races::rules::RuleSet;

#[test]
fn an_object_that_is_gone_is_not_the_next_one() {
    check_races(
        "t1 write Node#1.next
         t1 gone Node#1
         t2 write Node#1.next",
        &[],
    );
}

#[test]
fn what_a_volatile_told_goes_with_it() {
    check_races(
        "t1 write x
         t1 volatile-write Flag#1.set
         t1 gone Flag#1
         t2 volatile-read Flag#2.set
         t2 write x",
        &["1 and 4, multi-threaded"],
    );
}

/// Three reads at one place make a loop that waits, but not if they are of two objects.
#[test]
fn reads_of_two_objects_are_no_loop() {
    check_races(
        "t1 read Node#1.next @ List.walk(List.java:5)
         t1 gone Node#1
         t1 read Node#2.next @ List.walk(List.java:5)
         t2 write Node#2.next @ List.add(List.java:9)
         t1 read Node#2.next @ List.walk(List.java:5)
         t1 write y",
        &["2 and 3, multi-threaded", "3 and 4, multi-threaded"],
    );
}

/// The last read of a loop is the last use of the flag: it is a flag all the same, and its number stays its own.
#[test]
fn a_flag_may_go_when_its_loop_ends() {
    check_races(
        "t1 read Flag#1.set @ Flag.await(Flag.java:5)
         t1 read Flag#1.set @ Flag.await(Flag.java:5)
         t2 write x
         t2 write Flag#1.set @ Flag.raise(Flag.java:9)
         t1 read Flag#1.set @ Flag.await(Flag.java:5)
         t1 gone Flag#1
         t1 read Flag#2.set @ Flag.await(Flag.java:5)
         t1 write x
         t3 write Flag#2.set @ Flag.raise(Flag.java:9)",
        &["6 and 8, multi-threaded"],
    );
}

/// Locks by the thousand, of which few are remembered: those are still called by name.
#[test]
fn locks_that_are_gone_are_forgotten_unless_an_access_was_made_with_one() {
    let mut trace =
        String::from("t1 acquire Lock#0\nt1 write x\nt1 release Lock#0\nt1 gone Lock#0\n");
    for lock in 1..300_000 {
        trace += &format!(
            "t1 acquire Lock#{lock}\nt1 read y\nt1 release Lock#{lock}\nt1 gone Lock#{lock}\n"
        );
    }
    trace += "t2 write x";
    let text = format!("{}\n{trace}", super::TITLE);
    let (found, names) = super::analyse(&text, &super::Options::default()).unwrap();
    let held = &found.races[0].first.held;
    assert_eq!(names.locks[&held[0]], "Lock#0");
    assert!(names.locks.len() < 10_000, "{}", names.locks.len());
    assert_eq!(findings(&trace, RuleSet::ALL).races.len(), 1);
}
