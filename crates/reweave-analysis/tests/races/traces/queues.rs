//! Queues: which tasks run after which, and what their races are called.

use super::{check_races, described, findings};
use reweave_analysis::races::rules::{Rule, RuleSet};

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
