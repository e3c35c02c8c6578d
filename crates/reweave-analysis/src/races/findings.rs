//! What an analysis found: values only. Reports are made from them elsewhere.

use super::before::{Posted, TaskRun, Work};
use super::classify::RaceClass;
use super::event::{AccessKind, EventIndex, LocationId, LockId, Site, TaskId, ThreadId};
use super::pairs::Coverage;
use super::rules::Firings;
use std::collections::BTreeSet;

/// The task in which an access happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    pub id: TaskId,
    pub posted: Posted,
    /// The event of the environment that it is due to.
    pub trigger: Option<EventIndex>,
    /// The nearest of it and its ancestors that another thread posted.
    pub cross_post: Option<TaskId>,
    /// The nearest of it and its ancestors that was posted with a delay.
    pub delayed: Option<TaskId>,
}

impl TaskFacts {
    pub fn of(run: &TaskRun) -> TaskFacts {
        let ancestry = run.ancestry.borrow();
        TaskFacts {
            id: run.id,
            posted: run.posted,
            trigger: ancestry.trigger.as_ref().map(|(trigger, _)| trigger.event),
            cross_post: ancestry.cross_post,
            delayed: ancestry.delayed,
        }
    }
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub event: EventIndex,
    pub thread: ThreadId,
    pub task: Option<TaskFacts>,
    pub kind: AccessKind,
    pub site: Site,
    /// Locks held, in the order in which they were taken.
    pub held: Vec<LockId>,
    /// What the observer of the program calls it; 0 in logs that are kept whole.
    pub tag: u64,
}

/// What the locks of both sides say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locking {
    /// Neither side holds a lock.
    None,
    /// One side holds this lock and the other holds none. Of all accesses to the location, so many hold it.
    OneSide { lock: LockId, holding: u64, of: u64 },
    /// Both hold locks, but none in common.
    Different,
    /// Both hold this lock: it does not order tasks of one queue.
    Common(LockId),
}

impl Locking {
    /// Whether a lock that both sides take was probably meant: one side takes one that most accesses take.
    pub fn was_expected(&self) -> bool {
        matches!(self, Locking::OneSide { holding, of, .. } if holding * 2 > *of)
            || *self == Locking::Different
    }
}

/// Why nothing orders two accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// The last operation that came before both.
    pub common: Option<EventIndex>,
    /// After the first access, the first operation of its thread that others could have learnt of.
    pub published: Option<EventIndex>,
    /// The last operation of that thread, or task, that the second access knows of.
    pub seen: Option<EventIndex>,
    /// Before the second access, the last operation with which its thread learnt of others.
    pub learned: Option<EventIndex>,
}

impl Gap {
    /// The operations that it names.
    pub fn events(&self) -> impl Iterator<Item = EventIndex> {
        [self.common, self.published, self.seen, self.learned]
            .into_iter()
            .flatten()
    }
}

/// Accesses to one location at two places, which are not ordered. `first` and `second` are one such pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    pub location: LocationId,
    pub class: RaceClass,
    /// Earlier in the trace.
    pub first: Access,
    pub second: Access,
    /// Pairs of accesses that this one stands for.
    pub pairs: u64,
    /// A few of the others: they may have been reached in other ways.
    pub examples: Vec<(Access, Access)>,
    pub locking: Locking,
    /// `None` until it is asked for.
    pub gap: Option<Gap>,
}

/// Locations with a race, per class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    pub multi_threaded: u64,
    pub cross_posted: u64,
    pub co_enabled: u64,
    pub delayed: u64,
    pub uncategorised: u64,
}

impl ClassCounts {
    pub fn of(&self, class: RaceClass) -> u64 {
        match class {
            RaceClass::MultiThreaded => self.multi_threaded,
            RaceClass::CrossPosted => self.cross_posted,
            RaceClass::CoEnabled => self.co_enabled,
            RaceClass::Delayed => self.delayed,
            RaceClass::Uncategorised => self.uncategorised,
        }
    }

    fn add(&mut self, class: RaceClass) {
        match class {
            RaceClass::MultiThreaded => self.multi_threaded += 1,
            RaceClass::CrossPosted => self.cross_posted += 1,
            RaceClass::CoEnabled => self.co_enabled += 1,
            RaceClass::Delayed => self.delayed += 1,
            RaceClass::Uncategorised => self.uncategorised += 1,
        }
    }

    pub fn total(&self) -> u64 {
        RaceClass::ALL.iter().map(|class| self.of(*class)).sum()
    }
}

/// All that an analysis found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// One per location, pair of places and class, in the order of the trace.
    pub races: Vec<Race>,
    pub counts: ClassCounts,
    /// Racing pairs of accesses.
    pub pairs: u64,
    pub coverage: Coverage,
    /// Accesses that were forgotten although later ones might have raced with them.
    pub forgotten: u64,
    pub work: Work,
    pub fired: Firings,
}

impl Findings {
    /// Counts locations per class, and pairs.
    pub fn count(&mut self) {
        let locations: BTreeSet<(RaceClass, LocationId)> = self
            .races
            .iter()
            .map(|race| (race.class, race.location))
            .collect();
        self.counts = ClassCounts::default();
        for (class, _) in locations {
            self.counts.add(class);
        }
        self.pairs = self.races.iter().map(|race| race.pairs).sum();
    }
}
