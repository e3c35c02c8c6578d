//! Tasks: posted, run, ended. What is kept of each, and whether one run comes before another.

use super::clock::{Chain, Clock, Moment};
use super::knowledge::{Class, Knowledge, Point};
use crate::races::event::{EventIndex, Place, Post, Site, TaskId, ThreadId};
use crate::races::hash::IdMap;
use std::cell::RefCell;
use std::rc::Rc;

/// An event of the environment that made a task run, as it compares with others.
#[derive(Debug)]
pub struct Trigger {
    pub event: EventIndex,
    pub known: Rc<Knowledge>,
    pub class: Class,
    pub stand: Option<(Chain, Moment)>,
}

/// What a task is due to, copied from the posting task when it posts, so that a race can be classified.
#[derive(Clone, Debug, Default)]
pub struct Ancestry {
    /// The nearest event of the environment among this task and those that led to it, with the run that it came in;
    /// `None` for the task's own run.
    pub trigger: Option<(Rc<Trigger>, Option<Rc<TaskRun>>)>,
    /// The nearest one that was posted by another thread.
    pub cross_post: Option<TaskId>,
    /// The nearest one that was posted with a delay.
    pub delayed: Option<TaskId>,
}

impl Ancestry {
    /// What a task posted by `run`, which has this ancestry, starts with.
    pub fn handed_on(&self, run: &Rc<TaskRun>) -> Ancestry {
        let trigger = self.trigger.clone();
        Ancestry {
            trigger: trigger.map(|(trigger, from)| (trigger, from.or_else(|| Some(run.clone())))),
            ..self.clone()
        }
    }
}

/// A task that has begun. Shared by all that happened in it.
#[derive(Debug)]
pub struct TaskRun {
    pub id: TaskId,
    pub thread: ThreadId,
    pub queue: u32,
    pub chain: Chain,
    pub start: Moment,
    /// The tasks of the same queue that ended before: a chain is known up to the end of the last of them.
    pub begin: RefCell<Clock>,
    /// The same as a set, by number within the queue, if the order of tasks is not taken to be transitive.
    pub before: RefCell<NumberSet>,
    /// Number within the queue.
    pub number: u32,
    pub ancestry: RefCell<Ancestry>,
    pub posted: Posted,
}

/// How a task was posted, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    pub by: ThreadId,
    /// The task that posted it.
    pub within: Option<TaskId>,
    pub event: EventIndex,
    pub site: Site,
    pub delay: u32,
    pub place: Place,
}

/// A task from its post on.
#[derive(Debug)]
pub struct Task {
    pub spec: Post,
    pub queue: u32,
    pub posted: Posted,
    /// The post as others learn from it.
    pub post: Point,
    pub ancestry: Ancestry,
    /// Nothing but the task itself follows the post.
    pub from_outside: bool,
    /// Tasks of the same queue that an order of the environment puts right before the post.
    pub directly_after: Vec<TaskId>,
    /// Tasks whose posts an order of the environment puts right before this post.
    pub posted_after: Vec<TaskId>,
    pub run: Option<Rc<TaskRun>>,
    pub end: Option<Point>,
}

impl Task {
    /// The run, once it has ended.
    pub fn ended(&self) -> Option<(&Rc<TaskRun>, &Point)> {
        Some((self.run.as_ref()?, self.end.as_ref()?))
    }

    pub fn end_moment(&self) -> Moment {
        self.end
            .as_ref()
            .and_then(|end| end.stand)
            .map_or(Moment::NEVER, |(_, moment)| moment)
    }
}

pub type Tasks = IdMap<TaskId, Task>;

impl TaskRun {
    /// The event that the task is due to, as it compares with others.
    pub fn trigger(self: &Rc<TaskRun>) -> Option<Point> {
        let ancestry = self.ancestry.borrow();
        let (trigger, from) = ancestry.trigger.as_ref()?;
        Some(Point {
            known: trigger.known.clone(),
            class: trigger.class,
            stand: trigger.stand,
            task: Some(from.as_ref().unwrap_or(self).clone()),
        })
    }

    /// Which event the task is due to.
    pub fn trigger_event(&self) -> Option<EventIndex> {
        self.ancestry
            .borrow()
            .trigger
            .as_ref()
            .map(|(trigger, _)| trigger.event)
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumberSet(Vec<u64>);

impl NumberSet {
    /// Says whether the number is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1u64 << (number % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub fn contains(&self, number: u32) -> bool {
        self.0
            .get(number as usize / 64)
            .is_some_and(|word| word & (1 << (number % 64)) != 0)
    }
}
