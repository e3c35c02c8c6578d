//! Synchronization that programs build themselves: a loop that reads a plain variable until another thread writes it.
//!
//! A thread that has read one variable at one place at least `SPINS` times, doing nothing but reading meanwhile, waits
//! for it to change. The write that the last of these reads was the first to see comes before what the thread does
//! next (Tian et al., ISSTA 2008, and Jannesari and Tichy, IPDPS 2010, look for such loops too; we have no control
//! flow, so a variable that is read often at one place by chance looks the same). `Rule::AdHoc` switches it off.

use super::knowledge::Point;
use super::{Before, Rule};
use crate::races::event::{EventIndex, LocationId, Site, ThreadId};
use crate::races::hash::IdMap;
use crate::races::unused::Awaited;
use std::collections::BTreeSet;

/// Reads that make a loop.
const SPINS: u32 = 3;
/// Variables that one loop may read.
const MOST_SPINS: usize = 8;

/// A variable that a thread reads again and again.
#[derive(Clone, Copy, Debug)]
struct Spin {
    location: LocationId,
    site: Site,
    reads: u32,
    last: EventIndex,
}

/// A write that a waiting thread may be waiting for.
#[derive(Debug)]
struct AwaitedWrite {
    thread: ThreadId,
    event: EventIndex,
    point: Point,
}

#[derive(Debug, Default)]
pub struct AdHoc {
    spins: IdMap<ThreadId, Vec<Spin>>,
    /// Per variable, how many loops have read it often enough that the next write may end one.
    watched: IdMap<LocationId, u32>,
    writes: IdMap<LocationId, AwaitedWrite>,
    /// Per thread, the write that ended its loop, once it does something else than read on.
    ended: IdMap<ThreadId, (LocationId, Site, Point)>,
    found: BTreeSet<(LocationId, Site)>,
    /// By location: before this its number was that of another one.
    born: Vec<EventIndex>,
}

impl Before {
    /// Variables, and the places of the loops that read them, that turned out to synchronize.
    pub fn adhoc_flags(&self) -> &BTreeSet<(LocationId, Site)> {
        &self.adhoc.found
    }

    /// Writes that somebody waits for, as others will learn from them.
    pub(super) fn awaited_writes(&self) -> impl Iterator<Item = &Point> {
        let ended = self.adhoc.ended.values().map(|(_, _, point)| point);
        self.adhoc
            .writes
            .values()
            .map(|write| &write.point)
            .chain(ended)
    }

    /// Whether loops wait for this location.
    pub fn is_awaited(&self, location: LocationId) -> Awaited {
        let mut ended = self.adhoc.ended.values();
        let loops = (location, Site(0))..=(location, Site(u32::MAX));
        if self.adhoc.found.range(loops).next().is_some() {
            Awaited::Yes
        } else if self.adhoc.watched.contains_key(&location)
            || ended.any(|(ended, _, _)| *ended == location)
        {
            Awaited::Perhaps
        } else {
            Awaited::No
        }
    }

    /// From now on the number is that of a new location; nobody waited for the old one.
    pub fn begin_location(&mut self, location: LocationId) {
        let born = &mut self.adhoc.born;
        if born.len() <= location.index() {
            born.resize(location.index() + 1, EventIndex(0));
        }
        born[location.index()] = self.now;
    }

    /// Before anything but another read at the same place: the loop is over.
    pub(super) fn end_spin(&mut self, thread: ThreadId, reads_on: Option<(LocationId, Site)>) {
        let Some((location, site, _)) = self.adhoc.ended.get(&thread) else {
            return;
        };
        let loops_on = reads_on == Some((*location, *site));
        if let Some((location, site, point)) = self.adhoc.ended.remove(&thread)
            && !loops_on
        {
            self.adhoc.found.insert((location, site));
            self.learn_all(thread, Rule::AdHoc, [point]);
        }
    }

    /// Anything but a read: whatever the thread was reading, it does not wait for it.
    pub(super) fn break_spin(&mut self, thread: ThreadId) {
        let Some(spins) = self.adhoc.spins.get_mut(&thread) else {
            return;
        };
        for spin in spins.drain(..) {
            if spin.reads + 1 >= SPINS
                && let Some(watchers) = self.adhoc.watched.get_mut(&spin.location)
            {
                *watchers -= 1;
                if *watchers == 0 {
                    self.adhoc.watched.remove(&spin.location);
                    self.adhoc.writes.remove(&spin.location);
                }
            }
        }
    }

    pub(super) fn spin_read(&mut self, thread: ThreadId, location: LocationId, site: Site) {
        if site == Site::UNKNOWN || !self.rules.has(Rule::AdHoc) {
            return;
        }
        let now = self.now;
        let spins = self.adhoc.spins.entry(thread).or_default();
        let Some(spin) = spins
            .iter_mut()
            .find(|spin| spin.location == location && spin.site == site)
        else {
            if spins.len() < MOST_SPINS {
                spins.push(Spin {
                    location,
                    site,
                    reads: 1,
                    last: now,
                });
            }
            return;
        };
        let born = self.adhoc.born.get(location.index());
        if born.is_some_and(|born| *born > spin.last) {
            // It was another location that was read once.
            (spin.reads, spin.last) = (1, now);
            return;
        }
        spin.reads += 1;
        let previous = std::mem::replace(&mut spin.last, now);
        if spin.reads + 1 == SPINS {
            *self.adhoc.watched.entry(location).or_default() += 1;
        }
        if spin.reads >= SPINS
            && let Some(write) = self.adhoc.writes.get(&location)
            && write.thread != thread
            && write.event > previous
        {
            self.adhoc
                .ended
                .insert(thread, (location, site, write.point.clone()));
        }
    }

    pub(super) fn spin_write(&mut self, thread: ThreadId, location: LocationId) {
        if self.adhoc.watched.contains_key(&location) {
            let point = self.publish(thread);
            self.adhoc.writes.insert(
                location,
                AwaitedWrite {
                    thread,
                    event: self.now,
                    point,
                },
            );
            // Others may learn of this access, but not of the next one.
            self.split_after = Some(thread);
        }
    }
}
