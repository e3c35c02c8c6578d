//! What a race is due to, in DroidRacer's five classes and by its priorities.

use super::before::{Before, TaskRun};
use super::event::ThreadId;
use std::fmt;
use std::rc::Rc;

/// Why two accesses are not ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceClass {
    /// Two threads.
    MultiThreaded,
    /// Two tasks of one queue, due to two events that may come in either order.
    CoEnabled,
    /// Two tasks of one queue, one of which is due to a post with a delay.
    Delayed,
    /// Two tasks of one queue, one of which is due to a post by another thread.
    CrossPosted,
    Uncategorised,
}

impl RaceClass {
    pub const ALL: &'static [RaceClass] = &[
        RaceClass::MultiThreaded,
        RaceClass::CrossPosted,
        RaceClass::CoEnabled,
        RaceClass::Delayed,
        RaceClass::Uncategorised,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            RaceClass::MultiThreaded => "multi-threaded",
            RaceClass::CoEnabled => "co-enabled",
            RaceClass::Delayed => "delayed",
            RaceClass::CrossPosted => "cross-posted",
            RaceClass::Uncategorised => "uncategorised",
        }
    }
}

impl fmt::Display for RaceClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known about the origins of two unordered accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    Threads,
    /// One thread, but not two tasks: visits from outside.
    Outside,
    CoEnabled,
    /// Two tasks of one queue: whether their nearest delayed ancestors differ, and their nearest cross-posted ones.
    Posts {
        delay_differs: bool,
        cross_differs: bool,
    },
}

impl Nature {
    pub fn of(
        before: &Before,
        a: (ThreadId, Option<&Rc<TaskRun>>),
        b: (ThreadId, Option<&Rc<TaskRun>>),
    ) -> Nature {
        if a.0 != b.0 {
            return Nature::Threads;
        }
        let (Some(a), Some(b)) = (a.1, b.1) else {
            return Nature::Outside;
        };
        if a.trigger_event() != b.trigger_event()
            && let (Some(first), Some(second)) = (a.trigger(), b.trigger())
            && before.unordered(&first, &second)
        {
            return Nature::CoEnabled;
        }
        let (a, b) = (a.ancestry.borrow(), b.ancestry.borrow());
        Nature::Posts {
            delay_differs: a.delayed != b.delayed,
            cross_differs: a.cross_post != b.cross_post,
        }
    }

    /// The one class of a race: the first that fits, delays before cross posts.
    pub fn class(self) -> RaceClass {
        match self {
            Nature::Threads => RaceClass::MultiThreaded,
            Nature::CoEnabled => RaceClass::CoEnabled,
            Nature::Posts {
                delay_differs: true,
                ..
            } => RaceClass::Delayed,
            Nature::Posts {
                delay_differs: false,
                cross_differs: true,
            } => RaceClass::CrossPosted,
            Nature::Posts {
                delay_differs: false,
                cross_differs: false,
            }
            | Nature::Outside => RaceClass::Uncategorised,
        }
    }
}
