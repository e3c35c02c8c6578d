//! A bounded recording: full sections of events go into slots of the file, and when there are enough of them, the oldest is used again.
//!
//! A slot that is used again first loses its magic, then gets its new words, then its new header: a reader, also one that comes after the process was killed,
//! finds the old section, nothing, or the new one. Once something was overwritten the file says so, and what comes in from outside is not kept any more:
//! it could not be replayed.

use super::lock;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Everything,
    /// About so many bytes of events, and as many of input.
    LastBytes(u64),
    /// What was written during the last so long.
    LastTime(Duration),
}

/// Sections have the size of a window; those of threads that do little, of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Page,
    Window,
}

pub(super) struct Ring {
    keep: Keep,
    pages: Mutex<VecDeque<Slot>>,
    windows: Mutex<VecDeque<Slot>>,
}

struct Slot {
    offset: u64,
    since: Instant,
}

impl Ring {
    /// `None` if everything is kept.
    pub(super) fn new(keep: Keep) -> Option<Ring> {
        (keep != Keep::Everything).then(|| Ring {
            keep,
            pages: Mutex::default(),
            windows: Mutex::default(),
        })
    }

    /// The slot that is to be used again, if there are enough of this size.
    pub(super) fn oldest(&self, size: Size) -> Option<u64> {
        let mut slots = lock(self.slots(size));
        let enough = match self.keep {
            Keep::Everything => false,
            Keep::LastBytes(bytes) => {
                slots.len() as u64 * size.bytes() as u64 >= share(bytes, size)
            }
            Keep::LastTime(time) => slots
                .front()
                .is_some_and(|slot| slot.since.elapsed() > time),
        };
        if enough {
            slots.pop_front().map(|slot| slot.offset)
        } else {
            None
        }
    }

    /// The slot at `offset` holds a section now.
    pub(super) fn filled(&self, size: Size, offset: u64) {
        lock(self.slots(size)).push_back(Slot {
            offset,
            since: Instant::now(),
        });
    }

    /// Whether `used` bytes of input are as much as may be kept.
    pub(super) fn has_enough_input(&self, used: u64) -> bool {
        matches!(self.keep, Keep::LastBytes(bytes) if used >= bytes)
    }

    fn slots(&self, size: Size) -> &Mutex<VecDeque<Slot>> {
        match size {
            Size::Page => &self.pages,
            Size::Window => &self.windows,
        }
    }
}

/// Short streams get an eighth. There is always room for one section.
fn share(bytes: u64, size: Size) -> u64 {
    let share = match size {
        Size::Page => bytes / 8,
        Size::Window => bytes - bytes / 8,
    };
    share.max(size.bytes() as u64)
}

impl Size {
    /// Header included.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Size::Page => 4096,
            Size::Window => 64 << 10,
        }
    }
}
