//! The last event on every object.
//!
//! A pthread object has no room for a word of ours, so objects share cells, chosen by address. Whoever uses an object exchanges the cell for the link of
//! the event it is about to write. Objects that share a cell are ordered although they need not be, but only as it really happened: the moments
//! of exchange are in one order, every event comes after the exchange it made and before the next of its thread, so no cycle can come of it.

use core::sync::atomic::{AtomicU64, Ordering};
use reweave_trace::Tag;

const CELLS: usize = 1 << 16;
const NOTIFIES: usize = 1 << 12;

static LAST: [AtomicU64; CELLS] = [const { AtomicU64::new(0) }; CELLS];
/// The last signal on each condition. Two that share a cell may seem to have woken each other's waiters; the order is right all the same.
static NOTIFY: [AtomicU64; NOTIFIES] = [const { AtomicU64::new(0) }; NOTIFIES];

#[inline]
fn spread(address: usize) -> u64 {
    ((address >> 2) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The event `link` is the last on this object from now on. Returns the one before it.
#[inline]
pub fn exchange(address: usize, link: u64) -> u64 {
    LAST[(spread(address) >> 48) as usize % CELLS].swap(link, Ordering::AcqRel)
}

/// The last event on this object.
pub fn last(address: usize) -> u64 {
    LAST[(spread(address) >> 48) as usize % CELLS].load(Ordering::Acquire)
}

/// Tells the objects of a cell apart.
#[inline]
pub fn tag(address: usize) -> Tag {
    Tag::shared((spread(address) >> 16) as u32)
}

/// A child that was forked begins with objects that nobody has used.
pub fn clear() {
    for cell in LAST.iter().chain(&NOTIFY) {
        // Only what is set: pages that were never written to stay so.
        if cell.load(Ordering::Relaxed) != 0 {
            cell.store(0, Ordering::Relaxed);
        }
    }
}

pub fn notified(condition: usize, link: u64) {
    NOTIFY[(spread(condition) >> 48) as usize % NOTIFIES].store(link, Ordering::Release);
}

pub fn last_notify(condition: usize) -> u64 {
    NOTIFY[(spread(condition) >> 48) as usize % NOTIFIES].load(Ordering::Acquire)
}
