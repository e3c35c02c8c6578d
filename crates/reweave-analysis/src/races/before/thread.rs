//! A thread and where it is: what it knows now, in which class, on which chain.

use super::channel::Channel;
use super::clock::Chain;
use super::knowledge::{Class, Knowledge, Point};
use super::task::TaskRun;
use crate::races::event::{EventIndex, LockId, TaskId};
use std::rc::Rc;

/// A stretch of a thread's operations that are ordered one after the other: a whole thread without a queue, a task, a
/// visit from outside.
#[derive(Clone, Debug)]
pub struct Stretch {
    pub known: Rc<Knowledge>,
    pub class: Class,
    /// Taken when something first needs to refer to an operation here.
    pub chain: Option<Chain>,
    pub task: Option<Rc<TaskRun>>,
    /// Unrelated to what the thread did before: between tasks, or from outside.
    pub detached: bool,
    pub began: EventIndex,
    /// Posts made before a chain was taken: nobody can refer to them unless one is taken after all.
    pub loose_posts: Vec<TaskId>,
    /// The first operation here that others may have learnt of.
    pub published: Option<EventIndex>,
    /// Changes whenever something was learnt or published here: between changes all accesses are alike.
    pub epoch: u32,
}

impl Stretch {
    pub fn new(known: Rc<Knowledge>, class: Class, began: EventIndex) -> Stretch {
        Stretch {
            known,
            class,
            chain: None,
            task: None,
            detached: false,
            began,
            loose_posts: Vec::new(),
            published: None,
            epoch: 0,
        }
    }

    /// Whether others may have learnt of something here before `event`.
    pub fn published_before(&self, event: EventIndex) -> bool {
        self.published.is_some_and(|first| first < event)
    }
}

#[derive(Debug)]
pub struct Thread {
    pub here: Stretch,
    /// The fork that created it.
    pub forked: Option<Point>,
    pub ended: Option<Point>,
    /// The notify that ends its wait.
    pub notified: Option<Point>,
    pub permit: Channel,
    /// When it began to run its queue.
    pub looped: Option<Point>,
    /// Locks it holds, with how often, in the order in which it took them.
    pub held: Vec<(LockId, u32)>,
}

impl Default for Thread {
    fn default() -> Thread {
        Thread {
            here: Stretch::new(Rc::default(), Class::Threads, EventIndex(0)),
            forked: None,
            ended: None,
            notified: None,
            permit: Channel::default(),
            looped: None,
            held: Vec::new(),
        }
    }
}
