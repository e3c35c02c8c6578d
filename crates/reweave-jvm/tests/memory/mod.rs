//! Measures how much memory a thread has in use at most.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    // Constants without destructors, so that the allocator may use them at any time.
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// The most that `work` had allocated at one time.
pub fn peak_of(work: impl FnOnce()) -> usize {
    LIVE.set(0);
    PEAK.set(0);
    work();
    PEAK.get()
}

// SAFETY: every call is passed on to the system's allocator with the caller's own arguments; counting touches no allocated memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.get().saturating_add(layout.size());
        LIVE.set(live);
        PEAK.set(PEAK.get().max(live));
        // SAFETY: the caller keeps `alloc`'s contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // What was allocated before the measurement began may be freed in it.
        LIVE.set(LIVE.get().saturating_sub(layout.size()));
        // SAFETY: the caller keeps `dealloc`'s contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}
