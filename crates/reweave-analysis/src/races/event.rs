//! What the race engine reads: one operation of one thread after another, in the order in which they happened.
//! Recordings and imported logs are translated into this vocabulary; the engine knows no other.
//!
//! Numbers are dense: a translator numbers threads, locks, locations and the rest from 0 in order of appearance,
//! because tables are indexed by them. None of them is an address.

use super::environment::EnvironmentOp;
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u32);

        impl $name {
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A thread.
    ThreadId "t";
    /// One message or runnable posted to a queue: unique per post.
    TaskId "task ";
    /// One job given to an executor: unique per submission.
    JobId "job ";
    /// A monitor or explicit lock.
    LockId "lock ";
    /// A field of one object, an array element, a static, or a native address that was named by its allocation.
    LocationId "x";
    /// A class, for its static initialiser.
    ClassId "class ";
    /// A synchronization barrier in a message queue.
    BarrierId "barrier ";
    /// A place in the code; 0 is "unknown".
    Site "site ";
    /// Index of an event in its trace, from 0.
    EventIndex "event ";
}

impl Site {
    pub const UNKNOWN: Site = Site(0);
}

/// Whether an access reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    Read,
    Write,
}

impl AccessKind {
    /// Two accesses to one location conflict unless both read.
    pub fn conflicts(self, other: AccessKind) -> bool {
        self == AccessKind::Write || other == AccessKind::Write
    }
}

/// Where a post puts its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Behind everything that is due no later.
    Back,
    /// Before everything else.
    Front,
}

/// Whether a synchronization barrier holds a task back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Passage {
    Synchronous,
    /// Overtakes synchronous tasks that wait behind a barrier.
    Asynchronous,
}

/// A task put into a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    pub task: TaskId,
    /// The thread that will run the task.
    pub to: ThreadId,
    /// Requested delay in milliseconds.
    pub delay: u32,
    pub place: Place,
    pub passage: Passage,
}

impl Post {
    /// A post of the ordinary kind: at the back, without delay, synchronous.
    pub fn plain(task: TaskId, to: ThreadId) -> Post {
        Post {
            task,
            to,
            delay: 0,
            place: Place::Back,
            passage: Passage::Synchronous,
        }
    }
}

/// What a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// First operation of a thread.
    ThreadBegin,
    /// Last operation of a thread.
    ThreadEnd,
    Fork(ThreadId),
    /// Returned from waiting for the end of a thread that did end.
    Join(ThreadId),
    Acquire(LockId),
    Release(LockId),
    /// Woke this thread out of its wait.
    Notify(ThreadId),
    /// Returned from a wait.
    Wait,
    VolatileRead(LocationId),
    VolatileWrite(LocationId),
    /// An atomic read-modify-write that took effect.
    VolatileUpdate(LocationId),
    Unpark(ThreadId),
    /// Returned from a park.
    Park,
    Submit(JobId),
    JobBegin(JobId),
    JobEnd(JobId),
    /// Obtained the result of a job.
    JobAwait(JobId),
    /// A class finished its static initialiser.
    ClassReady(ClassId),
    /// First use of an initialised class by this thread.
    ClassUse(ClassId),
    /// This thread got a message queue.
    AttachQueue,
    /// This thread began to run its queue.
    Loop,
    Post(Post),
    /// A posted task was taken out of its queue and will not run.
    Unpost(TaskId),
    TaskBegin(TaskId),
    TaskEnd(TaskId),
    BarrierPost {
        barrier: BarrierId,
        to: ThreadId,
    },
    BarrierRemove(BarrierId),
    /// A thread outside the program enters (a binder thread, native code): what it does until it leaves is unrelated
    /// to what it did before.
    OutsideEnter,
    OutsideLeave,
    Environment(Box<EnvironmentOp>),
    Read(LocationId),
    Write(LocationId),
}

impl Op {
    /// The plain access that this operation is, if it is one.
    pub fn access(&self) -> Option<(LocationId, AccessKind)> {
        match self {
            Op::Read(location) => Some((*location, AccessKind::Read)),
            Op::Write(location) => Some((*location, AccessKind::Write)),
            _ => None,
        }
    }
}

impl Op {
    /// The lock that is taken or released.
    pub fn lock(&self) -> Option<LockId> {
        match self {
            Op::Acquire(lock) | Op::Release(lock) => Some(*lock),
            _ => None,
        }
    }

    /// Whether something is read or written.
    pub fn has_value(&self) -> bool {
        matches!(
            self,
            Op::Read(_)
                | Op::Write(_)
                | Op::VolatileRead(_)
                | Op::VolatileWrite(_)
                | Op::VolatileUpdate(_)
        )
    }
}

/// One operation of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: ThreadId,
    pub op: Op,
    pub site: Site,
}

impl Event {
    pub fn new(thread: ThreadId, op: Op) -> Event {
        Event {
            thread,
            op,
            site: Site::UNKNOWN,
        }
    }

    pub fn at(self, site: Site) -> Event {
        Event { site, ..self }
    }
}
