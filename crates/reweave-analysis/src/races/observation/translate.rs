//! Gives a log to the race engine.

use super::{Access, AccessName, Kind, Part, Record, first_user};
use crate::races::Options;
use crate::races::event::{LocationId, LockId, Op, Site, ThreadId};
use crate::races::findings::Findings;
use crate::races::hash::IdMap;
use crate::races::observe::{Key, ObservedNames, Observer};
use std::collections::HashMap;

/// Elements of one copy that are looked at; those behind them are not.
const MOST_ELEMENTS: u32 = 4096;
/// In the key of a part: it is an element.
const ELEMENT: Key = 1 << 32;
/// In the key of a site: it is a stack.
const STACK: Key = 1 << 32;
/// Keys of what threads have instead of fields: whether they were interrupted.
const THREAD: Key = 1 << 63;

pub struct Translator {
    observer: Observer,
    /// Streams of static initialisers belong to the thread that runs them.
    runner: IdMap<u32, u32>,
    /// By stream, as far as they have appeared.
    threads: Vec<Option<ThreadId>>,
    /// By thread: whether it has done anything.
    begun: Vec<bool>,
    names: HashMap<u32, String>,
    depth: IdMap<(ThreadId, u64), u32>,
    given_up: IdMap<(ThreadId, u64), u32>,
    /// Static initialisers that have ended, and who has used what they made.
    ready: IdMap<u32, ()>,
    used: IdMap<(ThreadId, u32), ()>,
    refused: u64,
}

/// What came of it.
pub struct Analysed {
    pub findings: Findings,
    pub names: ObservedNames,
    /// The object and the part of each location that has a race; whether that is an element.
    pub locations: HashMap<LocationId, (u64, u32, Part)>,
    /// Records that contradict what came before: a sign of an error in the log.
    pub refused: u64,
}

impl Analysed {
    /// The accesses of all races.
    pub fn accesses(&self) -> Vec<AccessName> {
        let races = self.findings.races.iter();
        let mut all: Vec<AccessName> = races
            .flat_map(|race| {
                let examples = race.examples.iter();
                let examples = examples.flat_map(|(first, second)| [first.tag, second.tag]);
                [race.first.tag, race.second.tag]
                    .into_iter()
                    .chain(examples)
            })
            .map(AccessName::unpack)
            .collect();
        all.sort();
        all.dedup();
        all
    }
}

impl Translator {
    /// `names` of threads, by stream.
    pub fn new(options: &Options, names: HashMap<u32, String>) -> Translator {
        Translator {
            observer: Observer::new(options),
            runner: IdMap::default(),
            threads: Vec::new(),
            begun: Vec::new(),
            names,
            depth: IdMap::default(),
            given_up: IdMap::default(),
            ready: IdMap::default(),
            used: IdMap::default(),
            refused: 0,
        }
    }

    /// The thread that runs a stream.
    fn thread(&mut self, stream: u32) -> ThreadId {
        let index = stream as usize;
        if let Some(Some(thread)) = self.threads.get(index) {
            return *thread;
        }
        let runner = self.runner.get(&stream).copied().unwrap_or(stream);
        let name = self.names.get(&runner).cloned();
        let name = || name.unwrap_or_else(|| format!("stream {runner}"));
        let thread = self.observer.thread(runner.into(), name);
        if self.threads.len() <= index {
            self.threads.resize(index + 1, None);
        }
        self.threads[index] = Some(thread);
        thread
    }

    /// Says that the thread has begun, the first time.
    fn begin(&mut self, thread: ThreadId) {
        if self.begun.len() <= thread.index() {
            self.begun.resize(thread.index() + 1, false);
        }
        if !std::mem::replace(&mut self.begun[thread.index()], true) {
            self.event(thread, Op::ThreadBegin, Site::UNKNOWN);
        }
    }

    fn lock(&mut self, object: u64) -> LockId {
        self.observer.lock(object, String::new)
    }

    fn event(&mut self, thread: ThreadId, op: Op, site: Site) {
        if self.observer.event(thread, op, site).is_err() {
            self.refused += 1;
        }
    }

    /// Takes the next record.
    pub fn record(&mut self, record: &Record) {
        match record.kind {
            Kind::Initialises => {
                let runner = record.object as u32;
                let runner = self.runner.get(&runner).copied().unwrap_or(runner);
                self.runner.insert(record.stream, runner);
                return;
            }
            Kind::Made | Kind::Class => return,
            _ => (),
        }
        let thread = self.thread(record.stream);
        self.begin(thread);
        let site = self.site(record);
        match record.kind {
            Kind::Access(access, part) => self.access(thread, record, access, part, site),
            kind => self.synchronization(thread, record, kind, site),
        }
    }

    fn site(&mut self, record: &Record) -> Site {
        match (record.kind, record.stack) {
            (Kind::Started, stack) if stack != 0 => {
                self.observer.site(STACK | Key::from(stack), Vec::new)
            }
            _ if record.site == 0 => Site::UNKNOWN,
            _ => self.observer.site(record.site.into(), Vec::new),
        }
    }

    fn access(
        &mut self,
        thread: ThreadId,
        record: &Record,
        access: Access,
        part: Part,
        site: Site,
    ) {
        self.use_initialiser(thread, record.object);
        let (first, count, element) = match part {
            Part::Field => (record.part, 1, 0),
            Part::Element => (record.part, 1, ELEMENT),
            Part::Elements(count) => (record.part, count.min(MOST_ELEMENTS), ELEMENT),
        };
        self.observer.tag(record.name().pack());
        for part in first..first.saturating_add(count) {
            let key = Key::from(part) | element;
            let location = self.observer.location(record.object, key, String::new);
            let op = match access {
                Access::Read => Op::Read(location),
                Access::Write => Op::Write(location),
                Access::VolatileRead => Op::VolatileRead(location),
                Access::VolatileWrite => Op::VolatileWrite(location),
                Access::Update => Op::VolatileUpdate(location),
            };
            self.event(thread, op, site);
        }
    }

    /// What a static initialiser made can be reached only through its class, and the VM lets nobody use that before the
    /// initialiser has ended.
    fn use_initialiser(&mut self, thread: ThreadId, object: u64) {
        let stream = first_user(object);
        if !self.ready.is_empty()
            && self.ready.contains_key(&stream)
            && self.used.insert((thread, stream), ()).is_none()
        {
            let class = self.observer.class(stream.into());
            self.event(thread, Op::ClassUse(class), Site::UNKNOWN);
        }
    }

    fn synchronization(&mut self, thread: ThreadId, record: &Record, kind: Kind, site: Site) {
        let held = (thread, record.object);
        match kind {
            Kind::Taken | Kind::TakenBack => {
                let depth = match kind {
                    Kind::TakenBack => self.given_up.remove(&held).unwrap_or(1),
                    _ => self.depth.get(&held).map_or(1, |depth| depth + 1),
                };
                let is_new = self.depth.insert(held, depth).is_none();
                if is_new {
                    self.use_initialiser(thread, record.object);
                    let lock = self.lock(record.object);
                    self.event(thread, Op::Acquire(lock), site);
                }
            }
            Kind::Left => match self.depth.get_mut(&held) {
                Some(depth) if *depth > 1 => *depth -= 1,
                Some(_) => self.release(held, site),
                None => (),
            },
            Kind::GivenUp => {
                if let Some(depth) = self.depth.get(&held).copied() {
                    self.given_up.insert(held, depth);
                    self.release(held, site);
                }
            }
            Kind::Started => {
                let child = self.thread(record.object as u32);
                self.event(thread, Op::Fork(child), site);
            }
            Kind::Ended => self.event(thread, Op::ThreadEnd, site),
            Kind::Joined => {
                let ended = self.thread(record.object as u32);
                self.event(thread, Op::Join(ended), site);
            }
            Kind::Parked => self.event(thread, Op::Park, site),
            Kind::Unparked => {
                let target = self.thread(record.object as u32);
                self.event(thread, Op::Unpark(target), site);
            }
            Kind::Initialised => {
                let class = self.observer.class(record.stream.into());
                self.event(thread, Op::ClassReady(class), site);
                self.ready.insert(record.stream, ());
                self.used.insert((thread, record.stream), ());
            }
            Kind::Interrupts | Kind::WasInterrupted => {
                let target = self.thread(record.object as u32);
                let flag = self
                    .observer
                    .location(THREAD | Key::from(target.0), 0, String::new);
                let op = match kind {
                    Kind::Interrupts => Op::VolatileWrite(flag),
                    _ => Op::VolatileRead(flag),
                };
                self.event(thread, op, site);
            }
            // The monitor orders what a notify orders.
            Kind::Notified | Kind::Access(..) | Kind::Initialises | Kind::Made | Kind::Class => (),
        }
    }

    fn release(&mut self, held: (ThreadId, u64), site: Site) {
        self.depth.remove(&held);
        let lock = self.lock(held.1);
        self.event(held.0, Op::Release(lock), site);
    }

    /// Nothing that follows uses the object.
    pub fn object_gone(&mut self, object: u64) {
        self.observer.object_gone(object);
    }

    /// The log has ended. Sites have no frames yet: [`Analysed::names`] has their keys in `site_keys`.
    pub fn finish(self) -> Analysed {
        let (findings, names) = self.observer.finish();
        let locations = findings
            .races
            .iter()
            .map(|race| {
                let (object, key) = names.location_keys[race.location.index()];
                let part = match key & ELEMENT {
                    0 => Part::Field,
                    _ => Part::Element,
                };
                (race.location, (object, key as u32, part))
            })
            .collect();
        Analysed {
            findings,
            names,
            locations,
            refused: self.refused,
        }
    }
}

impl Analysed {
    /// Fills in what the sites in `names` stand for.
    pub fn name_sites(&mut self, known: &super::Names) {
        for (site, key) in self.names.site_keys.iter().enumerate() {
            let number = *key as u32;
            let frames = match key & STACK {
                _ if *key == 0 => continue,
                0 => known.site(number).map(|frame| vec![frame.clone()]),
                _ => known.stack(number).map(<[_]>::to_vec),
            };
            self.names.sites[site] = frames.unwrap_or_default();
        }
    }
}
