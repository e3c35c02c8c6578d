//! Whole traces whose environment orders point backwards, found by the fuzzer and cut down by it: what each expects is
//! written out, beside the comparison with the reference.

use crate::order::{Comparison, compare};
use reweave_analysis::races::environment::{EnvironmentOp, Identity, Input};
use reweave_analysis::races::event::{Event, EventIndex, LocationId, Op, Post, TaskId, ThreadId};
use reweave_analysis::races::relation::Relation;
use reweave_analysis::races::rules::{Rule, RuleSet};

const QUEUE: ThreadId = ThreadId(0);
const OTHER_QUEUE: ThreadId = ThreadId(1);
const VISITOR: ThreadId = ThreadId(2);

const BUTTON: Input = Input {
    view: Identity(1),
    kind: 0,
};

fn post(task: u32, to: ThreadId) -> Op {
    Op::Post(Post::plain(TaskId(task), to))
}

fn begin(task: u32) -> Op {
    Op::TaskBegin(TaskId(task))
}

fn end(task: u32) -> Op {
    Op::TaskEnd(TaskId(task))
}

fn write(location: u32) -> Op {
    Op::Write(LocationId(location))
}

fn events(operations: Vec<(ThreadId, Op)>) -> Vec<Event> {
    let operations = operations.into_iter();
    operations
        .map(|(thread, op)| Event::new(thread, op))
        .collect()
}

/// Whether the engine orders the write to `first` before the write to `second`; it must agree with the reference.
#[track_caller]
fn ordered(trace: &[Event], rules: RuleSet, first: u32, second: u32) -> bool {
    assert_eq!(compare(trace, rules, rules), Comparison::Same);
    let relation = match Relation::of(trace, rules) {
        Ok(relation) => relation,
        Err(error) => panic!("{error}"),
    };
    let group = |location| {
        let index = trace.iter().position(|event| event.op == write(location));
        let index = index.unwrap_or_else(|| panic!("nothing writes {location}"));
        relation.group_of(EventIndex(index as u32))
    };
    relation.ordered(group(first), group(second))
}

/// Task 2 follows task 1, never ends, and enables an input. The visitor's posts come after that, by way of the post of the
/// task that the input triggers; so task 3 comes after whatever of its queue was over by then: task 1, although the latest
/// that the visitor knows of that queue is task 2.
#[test]
fn a_task_that_never_ends_does_not_hide_those_before_it() {
    let trace = events(vec![
        (QUEUE, post(1, QUEUE)),
        (QUEUE, begin(1)),
        (QUEUE, post(2, QUEUE)),
        (QUEUE, write(7)),
        (QUEUE, end(1)),
        (VISITOR, Op::OutsideEnter),
        (VISITOR, post(4, OTHER_QUEUE)),
        (VISITOR, post(3, QUEUE)),
        (VISITOR, Op::OutsideLeave),
        (QUEUE, begin(3)),
        (QUEUE, write(8)),
        (QUEUE, end(3)),
        (QUEUE, begin(2)),
        (
            QUEUE,
            Op::Environment(Box::new(EnvironmentOp::EnableInput(BUTTON))),
        ),
        (OTHER_QUEUE, begin(4)),
        (
            OTHER_QUEUE,
            Op::Environment(Box::new(EnvironmentOp::TriggerInput(BUTTON))),
        ),
    ]);
    assert!(ordered(&trace, RuleSet::ALL, 7, 8));
    let as_built = RuleSet::ALL.without(Rule::TaskTransitivity);
    assert!(ordered(&trace, as_built, 7, 8));
    assert!(!ordered(&trace, RuleSet::ALL.without(Rule::Input), 7, 8));
}

/// The same for loose posts, which are known through the beginnings of their tasks: task 2 never ends, task 1 ended before
/// it began on the same chain.
#[test]
fn a_loose_task_that_never_ends_does_not_hide_those_before_it() {
    let mut operations = Vec::new();
    for task in [1, 2] {
        operations.push((VISITOR, Op::OutsideEnter));
        operations.push((VISITOR, post(task, QUEUE)));
        operations.push((VISITOR, Op::OutsideLeave));
    }
    operations.extend([
        (VISITOR, Op::OutsideEnter),
        (VISITOR, post(4, OTHER_QUEUE)),
        (VISITOR, post(3, QUEUE)),
        (VISITOR, Op::OutsideLeave),
        (QUEUE, begin(1)),
        (QUEUE, write(7)),
        (
            QUEUE,
            Op::Environment(Box::new(EnvironmentOp::EnableFocus(Identity(3)))),
        ),
        (QUEUE, end(1)),
        (QUEUE, begin(3)),
        (QUEUE, write(8)),
        (QUEUE, end(3)),
        (QUEUE, begin(2)),
        (
            QUEUE,
            Op::Environment(Box::new(EnvironmentOp::TriggerFocus(Identity(3)))),
        ),
        (
            QUEUE,
            Op::Environment(Box::new(EnvironmentOp::EnableInput(BUTTON))),
        ),
        (OTHER_QUEUE, begin(4)),
        (
            OTHER_QUEUE,
            Op::Environment(Box::new(EnvironmentOp::TriggerInput(BUTTON))),
        ),
    ]);
    assert!(ordered(&events(operations), RuleSet::ALL, 7, 8));
}

/// A thread's end comes after the tasks of its queue that ended, also if the last one did not.
#[test]
fn the_end_of_a_loop_follows_the_tasks_that_ended() {
    let trace = events(vec![
        (QUEUE, post(1, QUEUE)),
        (QUEUE, begin(1)),
        (QUEUE, post(2, QUEUE)),
        (QUEUE, write(7)),
        (QUEUE, end(1)),
        (QUEUE, begin(2)),
        (QUEUE, Op::ThreadEnd),
        (VISITOR, Op::Join(QUEUE)),
        (VISITOR, write(8)),
    ]);
    assert!(ordered(&trace, RuleSet::ALL, 7, 8));
}
