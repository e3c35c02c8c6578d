//! The way in for a running program: whoever observes it names threads, locks, objects and tasks by keys of its own,
//! and the observer gives them the dense numbers that the engine wants, one event after the other.
//!
//! Nothing but names, live locations and what `Stream` keeps is remembered, so a replay can be analysed while it runs.
//! An object that is gone (`object_gone`) gives its locations back. Equal keys mean equal things for as long as they
//! live: an observer numbers objects as they appear, it never uses addresses.
//!
//! The last operation before both accesses of a race, and the operations that did not meet, are found afterwards from
//! the operations other than accesses. The observer keeps the first `KEPT` of those for that purpose; in a longer trace
//! races are reported without that part.

use super::Options;
use super::event::{
    BarrierId, ClassId, Event, EventIndex, JobId, LocationId, LockId, Op, Site, TaskId, ThreadId,
};
use super::findings::{Findings, Gap, Race};
use super::gap::Gaps;
use super::hash::IdMap;
use super::log::Log;
use super::relation::Relation;
use super::stream::{Stream, StreamError};
use std::collections::BTreeMap;

/// Operations other than accesses that are kept to explain races.
const KEPT: usize = 1 << 18;

/// So many locks are kept, gone or not.
const FEWEST_LOCKS: usize = 1 << 12;

/// How the observer of a program calls one of its things.
pub type Key = u64;

/// One level of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// As in `Account.withdraw`.
    pub function: String,
    /// The source file, if it is known.
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// Where a thread came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    pub by: ThreadId,
    pub event: EventIndex,
    pub site: Site,
}

/// What the numbers in the findings stand for.
#[derive(Clone, Debug, Default)]
pub struct ObservedNames {
    pub threads: Vec<String>,
    pub locks: IdMap<LockId, String>,
    pub lock_keys: IdMap<LockId, Key>,
    pub locations: Vec<String>,
    /// By location: the keys of its object and its part.
    pub location_keys: Vec<(Key, Key)>,
    /// By site: the stack, innermost first. Site 0 is the unknown one.
    pub sites: Vec<Vec<Frame>>,
    /// By site: its key.
    pub site_keys: Vec<Key>,
    pub created: BTreeMap<ThreadId, Creation>,
    /// Whole stacks of some events, where sites are only places.
    pub stacks: BTreeMap<EventIndex, Vec<Frame>>,
    /// The operations that explanations refer to.
    pub kept: BTreeMap<EventIndex, Event>,
}

/// Numbers for keys, in order of appearance.
#[derive(Debug, Default)]
struct Numbers {
    known: IdMap<Key, u32>,
    next: u32,
}

impl Numbers {
    /// The number of a key, and whether it is new.
    fn of(&mut self, key: Key) -> (u32, bool) {
        let number = *self.known.entry(key).or_insert(self.next);
        let is_new = number == self.next;
        self.next += u32::from(is_new);
        (number, is_new)
    }

    /// The key may name something else from now on.
    fn remove(&mut self, key: Key) -> Option<u32> {
        self.known.remove(&key)
    }
}

/// An analysis of a program that is being observed.
#[derive(Debug)]
pub struct Observer {
    stream: Stream,
    options: Options,
    names: ObservedNames,
    threads: Numbers,
    locks: Numbers,
    tasks: Numbers,
    task_keys: IdMap<TaskId, Key>,
    jobs: Numbers,
    classes: Numbers,
    barriers: Numbers,
    sites: IdMap<Key, Site>,
    locations: IdMap<(Key, Key), LocationId>,
    /// Plain and volatile locations of each object.
    of_object: IdMap<Key, Vec<(Key, LocationId)>>,
    /// Known locks at which it is time to forget some.
    locks_due: usize,
    kept: Vec<(EventIndex, Event)>,
    /// More operations came than are kept.
    overflowed: bool,
}

impl Observer {
    pub fn new(options: &Options) -> Observer {
        let names = ObservedNames {
            sites: vec![Vec::new()],
            site_keys: vec![0],
            ..ObservedNames::default()
        };
        Observer {
            stream: Stream::new(options),
            options: *options,
            names,
            threads: Numbers::default(),
            locks: Numbers::default(),
            tasks: Numbers::default(),
            task_keys: IdMap::default(),
            jobs: Numbers::default(),
            classes: Numbers::default(),
            barriers: Numbers::default(),
            sites: IdMap::default(),
            locations: IdMap::default(),
            of_object: IdMap::default(),
            locks_due: FEWEST_LOCKS,
            kept: Vec::new(),
            overflowed: false,
        }
    }

    /// The thread that the observer calls `key`. `name` is asked for once.
    pub fn thread(&mut self, key: Key, name: impl FnOnce() -> String) -> ThreadId {
        let (number, is_new) = self.threads.of(key);
        if is_new {
            self.names.threads.push(name());
        }
        ThreadId(number)
    }

    pub fn lock(&mut self, key: Key, name: impl FnOnce() -> String) -> LockId {
        let (number, is_new) = self.locks.of(key);
        if is_new {
            self.names.locks.insert(LockId(number), name());
            self.names.lock_keys.insert(LockId(number), key);
        }
        LockId(number)
    }

    /// The task that the observer calls `key`; after its end the key may name another one.
    pub fn task(&mut self, key: Key) -> TaskId {
        let (number, is_new) = self.tasks.of(key);
        if is_new {
            self.task_keys.insert(TaskId(number), key);
        }
        TaskId(number)
    }

    pub fn job(&mut self, key: Key) -> JobId {
        JobId(self.jobs.of(key).0)
    }

    pub fn class(&mut self, key: Key) -> ClassId {
        ClassId(self.classes.of(key).0)
    }

    pub fn barrier(&mut self, key: Key) -> BarrierId {
        BarrierId(self.barriers.of(key).0)
    }

    /// The place with this stack, innermost frame first. Equal keys are equal stacks.
    pub fn site(&mut self, key: Key, stack: impl FnOnce() -> Vec<Frame>) -> Site {
        let next = Site(self.names.sites.len() as u32);
        let site = *self.sites.entry(key).or_insert(next);
        if site == next {
            self.names.sites.push(stack());
            self.names.site_keys.push(key);
        }
        site
    }

    /// A field, element or static: `part` of `object`.
    pub fn location(
        &mut self,
        object: Key,
        part: Key,
        name: impl FnOnce() -> String,
    ) -> LocationId {
        if let Some(location) = self.locations.get(&(object, part)) {
            return *location;
        }
        let unused = self.stream.take_unused_location();
        let location = unused.unwrap_or_else(|| {
            self.names.locations.push(String::new());
            self.names.location_keys.push((0, 0));
            LocationId(self.names.locations.len() as u32 - 1)
        });
        self.names.locations[location.index()] = name();
        self.names.location_keys[location.index()] = (object, part);
        self.locations.insert((object, part), location);
        self.of_object
            .entry(object)
            .or_default()
            .push((part, location));
        location
    }

    /// Nobody can reach the object any more: as something with fields, as a lock, as a job.
    pub fn object_gone(&mut self, object: Key) {
        if let Some(lock) = self.locks.remove(object).map(LockId) {
            self.stream.forget_lock(lock);
            self.forget_locks_if_due();
        }
        if let Some(job) = self.jobs.remove(object).map(JobId) {
            self.stream.forget_job(job);
        }
        for (part, location) in self.of_object.remove(&object).unwrap_or_default() {
            self.locations.remove(&(object, part));
            self.stream.forget_location(location);
        }
    }

    /// A lock that is gone is still called by name if an access was made with it, or an explanation may name it.
    fn forget_locks_if_due(&mut self) {
        if self.names.locks.len() < self.locks_due {
            return;
        }
        let mut used = self.stream.forget_lock_sets();
        used.extend(self.locks.known.values().map(|lock| LockId(*lock)));
        used.extend(self.kept.iter().filter_map(|(_, event)| event.op.lock()));
        self.names.locks.retain(|lock, _| used.contains(lock));
        self.names.lock_keys.retain(|lock, _| used.contains(lock));
        let enough = FEWEST_LOCKS.max(self.stream.locations() / 4);
        self.locks_due = enough.max(2 * self.names.locks.len());
    }

    /// What the observer calls the accesses that follow; races name theirs by it.
    pub fn tag(&mut self, tag: u64) {
        self.stream.tag(tag);
    }

    /// Takes the next event of the program. After an error the analysis can go on with the one after it.
    pub fn event(&mut self, thread: ThreadId, op: Op, site: Site) -> Result<(), StreamError> {
        let event = Event { thread, op, site };
        let at = self.stream.before().now();
        let result = self.stream.event(&event);
        if event.op.access().is_none() && result.is_ok() {
            self.note(at, event);
        }
        result
    }

    fn note(&mut self, at: EventIndex, event: Event) {
        match &event.op {
            Op::Fork(child) => {
                let creation = Creation {
                    by: event.thread,
                    event: at,
                    site: event.site,
                };
                self.names.created.insert(*child, creation);
            }
            // From here on the key is free for another task.
            Op::TaskEnd(ended) | Op::Unpost(ended) => {
                if let Some(key) = self.task_keys.remove(ended) {
                    self.tasks.remove(key);
                }
            }
            _ => (),
        }
        if self.overflowed {
            return;
        }
        if self.kept.len() < KEPT {
            self.kept.push((at, event));
        } else {
            // A part explains nothing.
            self.overflowed = true;
            self.kept = Vec::new();
        }
    }

    /// The program has ended.
    pub fn finish(self) -> (Findings, ObservedNames) {
        let (mut findings, mut names) = (self.stream.finish(), self.names);
        if !self.overflowed {
            explain(self.kept, &self.options, &mut findings.races, &mut names);
        }
        (findings, names)
    }
}

/// Adds the gaps to races, from the operations that were kept and the accesses that race.
fn explain(
    kept: Vec<(EventIndex, Event)>,
    options: &Options,
    races: &mut [Race],
    names: &mut ObservedNames,
) {
    let mut events: BTreeMap<EventIndex, Event> = kept.into_iter().collect();
    for race in races.iter() {
        for access in [&race.first, &race.second] {
            let op = match access.kind {
                super::event::AccessKind::Read => Op::Read(race.location),
                super::event::AccessKind::Write => Op::Write(race.location),
            };
            let event = Event {
                thread: access.thread,
                op,
                site: access.site,
            };
            events.insert(access.event, event);
        }
    }
    let at: Vec<EventIndex> = events.keys().copied().collect();
    let log = Log {
        events: events.into_values().collect(),
        ..Log::default()
    };
    // Without the accesses of loops that wait, their orders would be missed; the races are known without them.
    let Ok(relation) = Relation::of(&log.events, options.rules) else {
        return;
    };
    let index = |event: EventIndex| EventIndex(at.partition_point(|other| *other < event) as u32);
    let mut gaps = Gaps::new(&log, &relation);
    for race in races {
        let gap = gaps.of(index(race.first.event), index(race.second.event));
        let original = |event: Option<EventIndex>| event.map(|event| at[event.index()]);
        race.gap = gap.map(|gap| Gap {
            common: original(gap.common),
            published: original(gap.published),
            seen: original(gap.seen),
            learned: original(gap.learned),
        });
        for event in race.gap.iter().flat_map(Gap::events) {
            names
                .kept
                .insert(event, log.events[index(event).index()].clone());
        }
    }
}
