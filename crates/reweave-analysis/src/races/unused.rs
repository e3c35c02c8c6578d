//! Numbers of locations that are gone: others get them, so that memory follows the locations that are alive.

use super::before::Before;
use super::event::LocationId;

/// Numbers that wait are looked at again when there are at least so many.
const FEWEST: usize = 64;

/// Whether loops wait for a location, as far as can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    No,
    /// A thread may be waiting for it, or may turn out to have waited.
    Perhaps,
    /// It was found to be a flag, and is called so at the end.
    Yes,
}

#[derive(Debug, Default)]
pub struct Unused {
    free: Vec<LocationId>,
    /// A loop may be waiting for them: to give their numbers away would make reads of two locations one loop.
    waiting: Vec<LocationId>,
    due: usize,
}

impl Unused {
    /// Nobody will access the location any more.
    pub fn add(&mut self, location: LocationId, before: &Before) {
        match before.is_awaited(location) {
            Awaited::No => self.free.push(location),
            Awaited::Perhaps => self.waiting.push(location),
            Awaited::Yes => (),
        }
    }

    /// A number for a new location.
    pub fn take(&mut self, before: &mut Before) -> Option<LocationId> {
        if self.free.is_empty() && self.waiting.len() >= self.due.max(FEWEST) {
            for location in std::mem::take(&mut self.waiting) {
                self.add(location, before);
            }
            self.due = 2 * self.waiting.len();
        }
        let location = self.free.pop()?;
        before.begin_location(location);
        Some(location)
    }
}
