//! Memory for our own data, at an address of our own.
//!
//! The program's allocator is not ours to use: it may be in the middle of something, it may take locks that we order, and what we allocate while
//! recording is not what we allocate while replaying, so every address that the program gets afterwards would differ.

use crate::sys;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, Ordering};

/// Far from where the kernel places programs, libraries, heaps and stacks.
const START: usize = 0x1000_0000_0000;
/// Where the windows of the trace file go.
pub const MAPPINGS: usize = 0x1100_0000_0000;
const GROW: usize = 1 << 20;
/// Sizes are powers of two from 16 bytes on.
const CLASSES: usize = 40;

pub struct Ours {
    lock: AtomicU32,
    inner: UnsafeCell<Inner>,
}

struct Inner {
    next: usize,
    end: usize,
    /// First free piece of each size; each piece begins with the address of the next.
    free: [usize; CLASSES],
}

// SAFETY: `inner` is only touched under `lock`.
unsafe impl Sync for Ours {}

#[global_allocator]
static OURS: Ours = Ours {
    lock: AtomicU32::new(0),
    inner: UnsafeCell::new(Inner {
        next: START,
        end: START,
        free: [0; CLASSES],
    }),
};

fn class(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(16);
    size.next_power_of_two().trailing_zeros() as usize - 4
}

/// Nobody allocates in the meantime.
pub fn hold<R>(work: impl FnOnce() -> R) -> R {
    OURS.with(|_| work())
}

impl Ours {
    fn with<R>(&self, work: impl FnOnce(&mut Inner) -> R) -> R {
        while self
            .lock
            .compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            sys::yield_now();
        }
        // SAFETY: the lock is held.
        let result = work(unsafe { &mut *self.inner.get() });
        self.lock.store(0, Ordering::Release);
        result
    }
}

impl Inner {
    fn take(&mut self, class: usize) -> usize {
        let piece = self.free[class];
        if piece != 0 {
            // SAFETY: a free piece begins with the address of the next.
            self.free[class] = unsafe { *(piece as *const usize) };
            return piece;
        }
        let size = 16 << class;
        let at = self.next.next_multiple_of(size.min(4096));
        if at + size > self.end && !self.grow(at + size) {
            return 0;
        }
        self.next = at + size;
        at
    }

    fn grow(&mut self, needed: usize) -> bool {
        let end = needed.next_multiple_of(GROW);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        // SAFETY: nothing is replaced, by the last flag.
        let result = unsafe {
            sys::call(
                libc::SYS_mmap,
                [
                    self.end,
                    end - self.end,
                    protection as usize,
                    flags as usize,
                    usize::MAX,
                    0,
                ],
            )
        };
        if result as usize != self.end {
            return false;
        }
        self.end = end;
        true
    }
}

// SAFETY: pieces are disjoint, aligned to their power of two up to a page (nobody here asks for more), and mapped.
unsafe impl GlobalAlloc for Ours {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let class = class(layout);
        if class >= CLASSES || layout.align() > 4096 {
            return core::ptr::null_mut();
        }
        self.with(|inner| inner.take(class)) as *mut u8
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let class = class(layout);
        self.with(|inner| {
            // SAFETY: the piece is free now and at least 16 bytes long.
            unsafe { *(pointer as *mut usize) = inner.free[class] };
            inner.free[class] = pointer as usize;
        });
    }
}
