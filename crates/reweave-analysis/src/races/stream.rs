//! Races of a trace that is read once: memory follows what is alive, not the length of the trace.
//!
//! For each location we remember the last access of each kind at each place, per chain (FastTrack, PLDI 2009, keeps one
//! per thread; we keep the places apart because we report every pair of them). A remembered access is replaced when one
//! of the same kind at the same place comes after it and whoever comes after the new one comes after the old one too:
//! that holds outside tasks and within one queue, but not from a queue to elsewhere, since happens-before is not
//! transitive.
//!
//! What it may miss: of unordered accesses of one kind at one place by one queue, or by threads, a location holds at
//! most `Options::history`, and it holds accesses of at most `PLACES` times that in all. When one more comes, the oldest
//! goes and is counted in `Findings::forgotten`.

use super::Options;
use super::before::{Before, Chain, Class, Keep, Nonsense};
use super::classify::{Nature, RaceClass};
use super::event::{AccessKind, Event, EventIndex, JobId, LocationId, LockId, Site, ThreadId};
use super::findings::{Access, Findings, Race, TaskFacts};
use super::hash::IdMap;
use super::locks::{Guard, LockSet, LockSets};
use super::pairs::Coverage;
use super::remembered::{Remembered, Verdict};
use super::unused::Unused;
use std::collections::HashSet;

/// How many times `Options::history` accesses a location holds.
const PLACES: usize = 16;

/// An event that cannot have happened where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{event}: {nonsense}")]
pub struct StreamError {
    pub event: EventIndex,
    pub nonsense: Nonsense,
}

#[derive(Debug, Default)]
struct Location {
    accesses: Vec<Remembered>,
    /// Epoch, place and kind of the last access: an equal one tells nothing new.
    last: Option<(u32, Site, AccessKind)>,
    guard: Guard,
    /// A race refers to it.
    races: bool,
}

/// What makes two races one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    location: LocationId,
    first: (Site, AccessKind),
    second: (Site, AccessKind),
    class: RaceClass,
}

/// An analysis under way.
#[derive(Debug)]
pub struct Stream {
    before: Before,
    history: usize,
    examples: usize,
    locations: Vec<Location>,
    unused: Unused,
    lock_sets: LockSets,
    /// By thread: the locks it holds, as of an epoch.
    held: Vec<(u32, LockSet)>,
    races: Vec<Race>,
    known: IdMap<Key, usize>,
    forgotten: u64,
    tag: u64,
    /// Room to work in.
    verdicts: Vec<Verdict>,
}

impl Stream {
    pub fn new(options: &Options) -> Stream {
        Stream {
            before: Before::new(options.rules, Keep::Live),
            history: options.history.max(1),
            examples: options.examples,
            locations: Vec::new(),
            unused: Unused::default(),
            lock_sets: LockSets::default(),
            held: Vec::new(),
            races: Vec::new(),
            known: IdMap::default(),
            forgotten: 0,
            tag: 0,
            verdicts: Vec::new(),
        }
    }

    /// Keeps only so many ended tasks.
    pub fn keep_ended(&mut self, tasks: usize) {
        self.before.keep_ended(tasks);
    }

    /// What the accesses that follow are called in findings.
    pub fn tag(&mut self, tag: u64) {
        self.tag = tag;
    }

    /// Takes the next event. After an error the analysis can go on with the one after it.
    pub fn event(&mut self, event: &Event) -> Result<(), StreamError> {
        let at = self.before.now();
        let step = self.before.step(event);
        if step.is_ok()
            && let Some((location, kind)) = event.op.access()
        {
            self.access(event, location, kind);
        }
        self.before.advance();
        if let Some(crowded) = self.before.take_crowded() {
            self.forget_accesses_on(&crowded);
        }
        step.map_err(|nonsense| StreamError {
            event: at,
            nonsense,
        })
    }

    /// Forgets accesses on these chains.
    fn forget_accesses_on(&mut self, chains: &HashSet<(Class, Chain)>) {
        for location in &mut self.locations {
            location.accesses.retain(|access| {
                let keep = !chains.contains(&(access.stand.class, access.stand.chain));
                if !keep {
                    self.before.forget_access(&access.stand);
                    self.forgotten += 1;
                }
                keep
            });
        }
    }

    fn access(&mut self, event: &Event, location: LocationId, kind: AccessKind) {
        let index = location.index();
        if self.locations.len() <= index {
            self.locations.resize_with(index + 1, Location::default);
        }
        let epoch = self.before.epoch(event.thread);
        let this = (epoch, event.site, kind);
        if self.locations[index].last == Some(this) {
            return;
        }
        self.locations[index].last = Some(this);
        let locks = self.held(event.thread, epoch);
        let stand = self.before.stand(event.thread);
        let new = Remembered {
            stand,
            thread: event.thread,
            kind,
            site: event.site,
            locks,
            tag: self.tag,
        };
        self.locations[index]
            .guard
            .vote(self.lock_sets.locks(locks));
        self.compare(location, new);
    }

    fn held(&mut self, thread: ThreadId, epoch: u32) -> LockSet {
        if self.held.len() <= thread.index() {
            self.held
                .resize(thread.index() + 1, (u32::MAX, LockSets::EMPTY));
        }
        let (known, set) = self.held[thread.index()];
        if known == epoch {
            return set;
        }
        let set = self.lock_sets.number(self.before.held(thread));
        self.held[thread.index()] = (epoch, set);
        set
    }

    fn compare(&mut self, location: LocationId, new: Remembered) {
        let Some(view) = self.before.view(new.thread) else {
            return;
        };
        let mut accesses = std::mem::take(&mut self.locations[location.index()].accesses);
        let mut verdicts = std::mem::take(&mut self.verdicts);
        verdicts.clear();
        verdicts.extend(
            accesses
                .iter()
                .map(|old| Verdict::of(&self.before, view, old, &new)),
        );
        let mut kept = 0;
        let mut alike = 0;
        for (index, verdict) in verdicts.iter().enumerate() {
            match verdict {
                Verdict::Races => self.race(location, &accesses[index], &new),
                Verdict::Replaced => {
                    self.before.forget_access(&accesses[index].stand);
                    continue;
                }
                Verdict::Stays => (),
            }
            alike += usize::from(accesses[index].is_like(&new));
            accesses.swap(kept, index);
            kept += 1;
        }
        self.verdicts = verdicts;
        accesses.truncate(kept);
        self.make_room(&mut accesses, &new, alike);
        self.before.remember_access(&new.stand);
        if accesses.capacity() == 0 {
            accesses.reserve_exact(1);
        }
        accesses.push(new);
        self.locations[location.index()].accesses = accesses;
    }

    /// Forgets the oldest of too many accesses like the new one, or of too many accesses.
    fn make_room(&mut self, accesses: &mut Vec<Remembered>, new: &Remembered, alike: usize) {
        let oldest = if alike >= self.history {
            accesses.iter().position(|old| old.is_like(new))
        } else if accesses.len() >= self.history.saturating_mul(PLACES) {
            Some(0)
        } else {
            None
        };
        if let Some(oldest) = oldest {
            let oldest = accesses.remove(oldest);
            self.before.forget_access(&oldest.stand);
            self.forgotten += 1;
        }
    }

    fn race(&mut self, location: LocationId, old: &Remembered, new: &Remembered) {
        let origin = |access: &Remembered| (access.thread, access.stand.run.clone());
        let ((a, a_run), (b, b_run)) = (origin(old), origin(new));
        let nature = Nature::of(&self.before, (a, a_run.as_ref()), (b, b_run.as_ref()));
        let class = nature.class();
        let key = Key {
            location,
            first: (old.site, old.kind),
            second: (new.site, new.kind),
            class,
        };
        if let Some(&index) = self.known.get(&key) {
            if self.races[index].examples.len() < self.examples {
                let example = (self.side(old), self.side(new));
                self.races[index].examples.push(example);
            }
            self.races[index].pairs += 1;
            return;
        }
        let locks = |access: &Remembered| self.lock_sets.locks(access.locks);
        let locking = self.locations[location.index()]
            .guard
            .compare(locks(old), locks(new));
        let (first, second) = (self.side(old), self.side(new));
        self.known.insert(key, self.races.len());
        self.locations[location.index()].races = true;
        self.races.push(Race {
            location,
            class,
            first,
            second,
            pairs: 1,
            examples: Vec::new(),
            locking,
            gap: None,
        });
    }

    fn side(&self, access: &Remembered) -> Access {
        Access {
            event: access.stand.moment.event().unwrap_or_default(),
            thread: access.thread,
            task: access.stand.run.as_ref().map(|run| TaskFacts::of(run)),
            kind: access.kind,
            site: access.site,
            held: self.lock_sets.locks(access.locks).to_vec(),
            tag: access.tag,
        }
    }

    /// Nobody will take the lock any more.
    pub fn forget_lock(&mut self, lock: LockId) {
        self.before.forget_lock(lock);
    }

    /// Nobody will begin or await the job any more.
    pub fn forget_job(&mut self, job: JobId) {
        self.before.forget_job(job);
    }

    /// The location is gone: what is remembered of it is forgotten.
    pub fn forget_location(&mut self, location: LocationId) {
        self.before.forget_location(location);
        let gone = self.locations.get_mut(location.index());
        let gone = gone.map(std::mem::take).unwrap_or_default();
        for access in &gone.accesses {
            self.before.forget_access(&access.stand);
        }
        if !gone.races {
            self.unused.add(location, &self.before);
        }
    }

    /// The number of a location that is gone, for another one.
    pub fn take_unused_location(&mut self) -> Option<LocationId> {
        self.unused.take(&mut self.before)
    }

    /// Forgets sets of locks that no access was made with, of those that are remembered. Returns the locks in the others.
    pub fn forget_lock_sets(&mut self) -> HashSet<LockId> {
        let accesses = self
            .locations
            .iter()
            .flat_map(|location| &location.accesses);
        let mut used: HashSet<LockId> = self
            .lock_sets
            .keep(accesses.map(|access| access.locks))
            .collect();
        self.held.clear();
        for race in &self.races {
            let examples = race
                .examples
                .iter()
                .flat_map(|(first, second)| [first, second]);
            for access in examples.chain([&race.first, &race.second]) {
                used.extend(&access.held);
            }
        }
        used
    }

    /// Numbers of locations that were ever given.
    pub fn locations(&self) -> usize {
        self.locations.len()
    }

    /// The order as far as it is known by now.
    pub fn before(&self) -> &Before {
        &self.before
    }

    pub fn finish(self) -> Findings {
        let flags = self.before.adhoc_flags();
        let is_flag = |location, access: &Access| {
            access.kind == AccessKind::Read && flags.contains(&(location, access.site))
        };
        let mut races = self.races;
        races.retain(|race| {
            !is_flag(race.location, &race.first) && !is_flag(race.location, &race.second)
        });
        let mut findings = Findings {
            races,
            coverage: Coverage::Complete,
            forgotten: self.forgotten,
            work: self.before.work(),
            fired: self.before.fired().clone(),
            ..Findings::default()
        };
        findings.count();
        findings
    }
}
