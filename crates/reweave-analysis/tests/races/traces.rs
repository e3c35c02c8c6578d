//! Traces a person can read, with the races they hold: one for each rule and each trap.

use reweave_analysis::races::Options;
use reweave_analysis::races::findings::{Findings, Locking};
use reweave_analysis::races::rules::{Rule, RuleSet};
use reweave_analysis::races::text::{TITLE, analyse};

fn findings(trace: &str, rules: RuleSet) -> Findings {
    let options = Options {
        rules,
        ..Options::default()
    };
    match analyse(&format!("{TITLE}\n{trace}"), &options) {
        Ok((findings, _)) => findings,
        Err(error) => panic!("{error} in {trace}"),
    }
}

fn described(findings: &Findings) -> Vec<String> {
    let races = findings.races.iter();
    races
        .map(|race| {
            let line = |event: u32| event + 1;
            let (first, second) = (line(race.first.event.0), line(race.second.event.0));
            format!("{first} and {second}, {}", race.class)
        })
        .collect()
}

/// Events count from 1. An expectation is the racing pairs, each with its class.
#[track_caller]
fn check_races(trace: &str, expected: &[&str]) {
    assert_eq!(
        described(&findings(trace, RuleSet::ALL)),
        expected,
        "{trace}"
    );
}

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

#[test]
fn tasks_posted_in_order_run_in_order() {
    check_races(
        "main attach-queue
         main loop
         t1 post a to main
         t1 post b to main
         main begin a
         main write x
         main end a
         main begin b
         main write x
         main end b",
        &[],
    );
}

#[test]
fn tasks_posted_by_two_threads_are_cross_posted() {
    check_races(
        "main attach-queue
         main loop
         t1 post a to main
         t2 post b to main
         main begin a
         main write x
         main end a
         main begin b
         main write x
         main end b",
        &["6 and 9, cross-posted"],
    );
}

#[test]
fn posts_of_one_visit_follow_each_other_and_those_of_two_do_not() {
    let trace = "main attach-queue
         main loop
         binder outside-enter
         binder post a to main
         BETWEEN
         binder post b to main
         binder outside-leave
         main begin a
         main write x
         main end a
         main begin b
         main write x
         main end b";
    check_races(&trace.replace("BETWEEN", ""), &[]);
    check_races(
        &trace.replace("BETWEEN", "binder outside-leave\nbinder outside-enter"),
        &["10 and 13, cross-posted"],
    );
}

#[test]
fn a_delay_lets_others_overtake() {
    check_races(
        "main attach-queue
         main loop
         t1 post late to main delay 50
         t1 post soon to main
         main begin soon
         main write x
         main end soon
         main begin late
         main write x
         main end late",
        &["6 and 9, delayed"],
    );
    check_races(
        "main attach-queue
         main loop
         t1 post a to main delay 20
         t1 post b to main delay 50
         main begin a
         main write x
         main end a
         main begin b
         main write x
         main end b",
        &[],
    );
}

#[test]
fn the_front_of_the_queue_goes_first() {
    // `front` was posted after `back`, by a task that ran before it.
    check_races(
        "main attach-queue
         main loop
         t1 post opener to main
         main begin opener
         t1 post back to main
         t1 volatile-write v
         main volatile-read v
         main post front to main front
         main end opener
         main begin front
         main write x
         main end front
         main begin back
         main write x
         main end back",
        &[],
    );
}

#[test]
fn asynchronous_messages_pass_a_barrier() {
    // Behind a barrier the asynchronous task runs first although it was posted last: neither order is certain.
    check_races(
        "main attach-queue
         main loop
         t1 barrier b main
         t1 post plain to main
         t1 post quick to main asynchronous
         main begin quick
         main write x
         main end quick
         t1 write y
         t1 barrier-remove b
         main begin plain
         main write x
         main read y
         main end plain",
        &["7 and 12, cross-posted"],
    );
}

#[test]
fn an_idle_handler_comes_after_it_was_added() {
    check_races(
        "main attach-queue
         main loop
         t1 post a to main
         main begin a
         main write x
         main add-idle 1 1
         main end a
         main post idle to main
         main begin idle
         main run-idle 1 1
         main read x
         main end idle",
        &[],
    );
}

#[test]
fn two_inputs_may_come_in_either_order() {
    check_races(
        "main attach-queue
         main loop
         t1 post shown to main
         main begin shown
         main enable-input 1 0
         main enable-input 2 0
         main end shown
         driver outside-enter
         driver post click1 to main
         driver outside-leave
         driver outside-enter
         driver post click2 to main
         driver outside-leave
         main begin click1
         main trigger-input 1 0
         main write x
         main end click1
         main begin click2
         main trigger-input 2 0
         main write x
         main end click2",
        &["16 and 20, co-enabled"],
    );
}

#[test]
fn locks_do_not_order_tasks_of_one_queue() {
    check_races(
        "main attach-queue
         main loop
         t1 post a to main
         t2 post b to main
         main begin a
         main acquire m
         main write x
         main release m
         main end a
         main begin b
         main acquire m
         main write x
         main release m
         main end b",
        &["7 and 12, cross-posted"],
    );
}

/// Two queues that hand a lock to and fro: this run's order of the four tasks is chance.
#[test]
fn a_ping_pong_between_two_queues_orders_nothing() {
    check_races(
        "p loop
         q loop
         t1 post p1 to p
         t2 post q1 to q
         t3 post p2 to p
         t4 post q2 to q
         p begin p1
         p write x
         p acquire m
         p release m
         p end p1
         q begin q1
         q acquire m
         q acquire n
         q release n
         q release m
         q end q1
         p begin p2
         p acquire n
         p acquire o
         p release o
         p release n
         p end p2
         q begin q2
         q acquire o
         q read x
         q release o
         q end q2",
        &["8 and 26, multi-threaded"],
    );
}

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
fn a_race_is_explained() {
    let trace = "
        t1 fork t2
        t2 thread-begin
        t1 write x
        t1 acquire m
        t1 release m
        t2 acquire n
        t2 read x";
    let race = &findings(trace, RuleSet::ALL).races[0];
    let gap = race.gap.expect("a short trace is explained");
    let event = |event: Option<reweave_analysis::races::event::EventIndex>| event.map(|e| e.0 + 1);
    assert_eq!(event(gap.common), Some(1), "the fork is before both");
    assert_eq!(event(gap.published), Some(5), "the release of m");
    assert_eq!(event(gap.learned), Some(6), "the acquire of n");
    assert_eq!(event(gap.seen), Some(1), "of t1 only the fork is known");
}

#[test]
fn nonsense_is_refused_with_its_line() {
    let refused = |trace: &str| {
        let text = format!("{TITLE}\n{trace}");
        analyse(&text, &Options::default()).unwrap_err().to_string()
    };
    assert_eq!(refused("t1 write"), "line 2: `write` needs a name");
    assert_eq!(refused("t1 wriet x"), "line 2: unknown operation \"wriet\"");
    assert!(refused("main begin a").starts_with("line 2: this cannot have happened here"));
    assert_eq!(
        analyse("t1 write x", &Options::default())
            .unwrap_err()
            .to_string(),
        "line 1: expected `reweave trace 1`"
    );
}
