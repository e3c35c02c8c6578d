//! Happens-before for threads, task queues and the environment, in one pass over a trace.
//!
//! The rules are those of DroidRacer ("Race Detection for Android Applications", Maiya, Kanade, Majumdar, PLDI 2014)
//! and of the Java memory model. Instead of saturating a graph we keep chain clocks, as EventRacer (OOPSLA 2013) and
//! AsyncClock (ASPLOS 2017) do; where we differ:
//! - conditional transitivity is exact (`knowledge`), with one clock per path a fact may have taken;
//! - the order of tasks is transitive, as in the paper and unlike the tool, unless asked otherwise (`begin`);
//! - posts at the front of the queue, asynchronous posts and barriers are ordered instead of dropped;
//! - what can no longer matter is forgotten (`collect`), so that memory follows live tasks and locations.
//!
//! Given a whole log, the environment's orders may point backwards in it. Then the pass is repeated with what the last
//! one found out until nothing changes (`late`).

mod adhoc;
mod begin;
mod chains;
mod channel;
mod clock;
mod collect;
mod knowledge;
mod late;
mod queue;
mod run;
mod scan;
mod step;
mod task;
mod thread;

pub use clock::{Chain, Clock, Moment};
pub use knowledge::{Class, Knowledge, Point};
pub use step::Nonsense;
pub use task::{Ancestry, Posted, TaskRun};

use super::environment::Environment;
use super::event::{BarrierId, ClassId, EventIndex, JobId, LocationId, LockId, TaskId, ThreadId};
use super::hash::IdMap;
use super::rules::{Firings, Rule, RuleSet};
use chains::Chains;
use channel::Channel;
use queue::Queue;
use std::collections::HashSet;
use std::rc::Rc;
use task::Tasks;
use thread::Thread;

/// What becomes of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Everything stays, so that passes can be repeated and any two operations compared.
    All,
    /// What can no longer order anything is forgotten.
    Live,
}

/// Counts of what was done and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    pub passes: u32,
    pub chains: usize,
    pub tasks_begun: u64,
    /// Most tasks that were kept at one time.
    pub tasks_kept: usize,
    /// Ended tasks that were forgotten.
    pub tasks_forgotten: u64,
    /// Orders that came too late for a single pass, so that they were not applied in full: what enabled an event was
    /// recorded after the event was posted, or a task ran before one that should have run first.
    pub late_orders: u64,
    /// Passes were stopped before nothing changed any more.
    pub unfinished: bool,
}

/// The state of happens-before at one point of a trace.
#[derive(Debug)]
pub struct Before {
    rules: RuleSet,
    keep: Keep,
    now: EventIndex,
    threads: Vec<Thread>,
    queues: Vec<Queue>,
    queue_of: IdMap<ThreadId, u32>,
    tasks: Tasks,
    chains: Chains,
    /// The chain of each stretch, so that it is the same in every pass.
    stretch_chains: IdMap<(ThreadId, EventIndex), Chain>,
    locks: IdMap<LockId, Channel>,
    volatiles: IdMap<LocationId, Channel>,
    jobs: IdMap<JobId, Point>,
    classes: IdMap<ClassId, Channel>,
    barriers: IdMap<BarrierId, u32>,
    environment: Environment<late::Mark>,
    /// Events that tasks are due to.
    triggers: Vec<Rc<task::Trigger>>,
    adhoc: adhoc::AdHoc,
    late: late::Late,
    ended: collect::Ended,
    /// Chains that are in use for nothing but old accesses, of which there are too many.
    crowded: Option<HashSet<(Class, Chain)>>,
    next_epoch: u32,
    /// The thread whose accesses after this operation are not like this one.
    split_after: Option<ThreadId>,
    /// Something that the last pass left is different now.
    changed: bool,
    fired: Firings,
    work: Work,
}

/// An operation that others are compared with later: a remembered access.
#[derive(Clone, Debug)]
pub struct Stand {
    pub class: Class,
    pub chain: Chain,
    pub moment: Moment,
    pub run: Option<Rc<TaskRun>>,
}

/// What an operation sees, for comparison with a `Stand`.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub known: &'a Knowledge,
    pub class: Class,
    pub chain: Option<Chain>,
    pub moment: Moment,
    pub run: Option<&'a Rc<TaskRun>>,
}

impl Before {
    pub fn new(rules: RuleSet, keep: Keep) -> Before {
        Before {
            rules,
            keep,
            now: EventIndex(0),
            threads: Vec::new(),
            queues: Vec::new(),
            queue_of: IdMap::default(),
            tasks: Tasks::default(),
            chains: Chains::default(),
            stretch_chains: IdMap::default(),
            locks: IdMap::default(),
            volatiles: IdMap::default(),
            jobs: IdMap::default(),
            classes: IdMap::default(),
            barriers: IdMap::default(),
            environment: Environment::default(),
            triggers: Vec::new(),
            adhoc: adhoc::AdHoc::default(),
            late: late::Late::default(),
            ended: collect::Ended::default(),
            crowded: None,
            next_epoch: 1,
            split_after: None,
            changed: false,
            fired: Firings::default(),
            work: Work::default(),
        }
    }

    pub fn fired(&self) -> &Firings {
        &self.fired
    }

    pub fn work(&self) -> Work {
        Work {
            chains: self.chains.count(),
            ..self.work.clone()
        }
    }

    /// Whether the operation at `stand` happened before the one that sees `view`.
    pub fn ordered(&self, stand: &Stand, view: View<'_>) -> bool {
        match (stand.class, view.class) {
            (Class::Threads, Class::Threads)
                if view.chain == Some(stand.chain) && stand.moment <= view.moment =>
            {
                true
            }
            (Class::Threads, _) => view.known.threads.get(stand.chain) >= stand.moment,
            (Class::Queue(a), Class::Queue(b)) if a == b => self.ordered_within(stand, view),
            (Class::Queue(_), _) => {
                self.known_up_to(view.known, view.class, stand.class, stand.chain) >= stand.moment
            }
        }
    }

    fn ordered_within(&self, stand: &Stand, view: View<'_>) -> bool {
        let (Some(a), Some(b)) = (&stand.run, view.run) else {
            return false;
        };
        if a.id == b.id {
            return stand.moment <= view.moment;
        }
        if !self.rules.has(Rule::ConditionalTransitivity) {
            return view.known.reaches(view.class, stand.chain) >= stand.moment;
        }
        if self.rules.has(Rule::TaskTransitivity) {
            b.begin.borrow().get(a.chain) >= a.start
        } else {
            b.before.borrow().contains(a.number)
        }
    }

    /// Up to which moment an operation of class `me` sees a chain of another class.
    fn known_up_to(&self, known: &Knowledge, me: Class, class: Class, chain: Chain) -> Moment {
        if self.rules.has(Rule::ConditionalTransitivity) {
            known.sees(me, class, chain)
        } else {
            known.reaches(class, chain)
        }
    }

    /// Whether one remembered operation happened before another.
    fn point_before(&self, first: &Point, second: &Point) -> bool {
        let Some((chain, moment)) = first.stand else {
            return false;
        };
        let stand = Stand {
            class: first.class,
            chain,
            moment,
            run: first.task.clone(),
        };
        let (chain, moment) = match second.stand {
            Some((chain, moment)) => (Some(chain), moment),
            None => (None, Moment::NEVER),
        };
        let view = View {
            known: &second.known,
            class: second.class,
            chain,
            moment,
            run: second.task.as_ref(),
        };
        self.ordered(&stand, view)
    }

    /// Whether two remembered operations may come in either order.
    pub fn unordered(&self, first: &Point, second: &Point) -> bool {
        !self.point_before(first, second) && !self.point_before(second, first)
    }

    /// What the current operation of `thread` sees.
    pub fn view(&self, thread: ThreadId) -> Option<View<'_>> {
        let here = &self.threads.get(thread.index())?.here;
        Some(View {
            known: &here.known,
            class: here.class,
            chain: here.chain,
            moment: Moment::of(self.now),
            run: here.task.as_ref(),
        })
    }

    /// What the current operation of `thread` knows.
    pub fn knowledge(&self, thread: ThreadId) -> Rc<Knowledge> {
        self.threads
            .get(thread.index())
            .map(|thread| thread.here.known.clone())
            .unwrap_or_default()
    }

    /// The current operation of `thread` as others are compared with it, if something may refer to it already.
    pub fn mark(&self, thread: ThreadId) -> Option<Stand> {
        let here = &self.threads.get(thread.index())?.here;
        Some(Stand {
            class: here.class,
            chain: here.chain?,
            moment: Moment::of(self.now),
            run: here.task.clone(),
        })
    }

    /// Locks that `thread` holds.
    pub fn held(&self, thread: ThreadId) -> impl Iterator<Item = LockId> + '_ {
        self.threads
            .get(thread.index())
            .into_iter()
            .flat_map(|thread| thread.held.iter().map(|(lock, _)| *lock))
    }

    /// Changes whenever the order of a thread's accesses relative to others may have changed.
    pub fn epoch(&self, thread: ThreadId) -> u32 {
        self.threads
            .get(thread.index())
            .map_or(0, |thread| thread.here.epoch)
    }

    /// Nobody will take the lock any more.
    pub fn forget_lock(&mut self, lock: LockId) {
        self.locks.remove(&lock);
    }

    /// Nobody will access the location any more.
    pub fn forget_location(&mut self, location: LocationId) {
        self.volatiles.remove(&location);
    }

    /// Nobody will begin or await the job any more.
    pub fn forget_job(&mut self, job: JobId) {
        self.jobs.remove(&job);
    }

    /// The task with this number, if it is still kept.
    pub fn task_run(&self, task: TaskId) -> Option<&Rc<TaskRun>> {
        self.tasks.get(&task)?.run.as_ref()
    }
}
