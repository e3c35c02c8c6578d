//! The record of a thread: what its hooks need at hand, and what gdb reads.

use crate::{place, sys, tls};
use core::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use libc::pthread_t;
use reweave_trace::StreamId;

/// What a thread is doing, as the scheduler of serial runs sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum State {
    /// Can run as soon as it gets the processor.
    Runnable = 1,
    /// Waits for an object or a time.
    Blocked = 2,
    /// In a call that waits for something outside the program.
    Outside = 3,
    Ended = 4,
}

/// The fields up to `name` are read by gdb/reweave.py at fixed offsets; a test compares them.
#[repr(C)]
pub struct Thread {
    pub stream: u32,
    state: AtomicU32,
    /// 1 when the thread may go on.
    pub go: AtomicU32,
    /// The kernel's number.
    pub kernel: AtomicU32,
    /// Its countdown; blocks executed are `base` less that.
    pub countdown: AtomicPtr<i64>,
    pub base: AtomicI64,
    /// What it waits for, if it is blocked.
    pub object: AtomicUsize,
    pub handle: AtomicUsize,

    /// Since when it waits, as a number that grows: the first to come is the first to go.
    pub since: AtomicU64,
    /// When the wait ends by itself, on the monotonic clock; 0 never.
    pub deadline: AtomicU64,
    pub timed_out: AtomicU32,
    /// How the program lets go of it.
    pub fate: AtomicU32,
    pub start: AtomicUsize,
    pub argument: AtomicUsize,
    pub result: AtomicUsize,
    /// How often its destructor has been called.
    pub rounds: AtomicU32,
    pub parent: u32,
    /// Link of its exit event.
    pub exit: AtomicU64,

    /// Where its next event goes, and the last address at which the longest one fits.
    pub next: AtomicUsize,
    pub last: AtomicUsize,
    /// Position of the next word.
    pub position: AtomicU64,
    pub places: place::Cache,
    pub signals: crate::signals::Queue,
    /// The signals that it blocks at its start.
    pub mask: AtomicU64,
    /// What it knows of being cancelled.
    pub cancel: AtomicU32,
}

/// Fates of a thread.
pub const JOINABLE: u32 = 0;
pub const DETACHED: u32 = 1;
pub const JOINED: u32 = 2;

pub const MOST: usize = 1 << 16;

/// By stream number; the first is empty.
#[unsafe(no_mangle)]
pub static reweave_threads: [AtomicPtr<Thread>; MOST] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; MOST];
/// The highest stream number so far.
#[unsafe(no_mangle)]
pub static reweave_thread_count: AtomicU32 = AtomicU32::new(0);

impl Thread {
    /// Makes the record of a stream. `None` if there are too many.
    pub fn new(stream: StreamId, parent: u32) -> Option<&'static Thread> {
        let slot = reweave_threads.get(stream.0 as usize)?;
        let thread = Box::leak(Box::new(Thread {
            stream: stream.0,
            state: AtomicU32::new(State::Runnable as u32),
            go: AtomicU32::new(0),
            kernel: AtomicU32::new(0),
            countdown: AtomicPtr::new(core::ptr::null_mut()),
            base: AtomicI64::new(0),
            object: AtomicUsize::new(0),
            handle: AtomicUsize::new(0),
            since: AtomicU64::new(0),
            deadline: AtomicU64::new(0),
            timed_out: AtomicU32::new(0),
            fate: AtomicU32::new(JOINABLE),
            start: AtomicUsize::new(0),
            argument: AtomicUsize::new(0),
            result: AtomicUsize::new(0),
            rounds: AtomicU32::new(0),
            parent,
            exit: AtomicU64::new(0),
            next: AtomicUsize::new(0),
            last: AtomicUsize::new(0),
            position: AtomicU64::new(1),
            places: place::Cache::new(),
            signals: crate::signals::Queue::new(),
            mask: AtomicU64::new(0),
            cancel: AtomicU32::new(0),
        }));
        slot.store(thread, Ordering::Release);
        reweave_thread_count.fetch_max(stream.0, Ordering::AcqRel);
        Some(thread)
    }

    /// A child that was forked has none of its parent's threads.
    pub fn forget_all() {
        let count = reweave_thread_count.swap(0, Ordering::AcqRel) as usize;
        for slot in reweave_threads.iter().take(count + 1) {
            slot.store(core::ptr::null_mut(), Ordering::Release);
        }
    }

    /// The calling thread becomes the one that this record is about.
    pub fn adopt(&'static self) {
        self.kernel
            .store(sys::thread_number() as u32, Ordering::Relaxed);
        let countdown = tls::countdown();
        // SAFETY: the calling thread's own word.
        self.base.store(unsafe { *countdown }, Ordering::Relaxed);
        self.countdown.store(countdown, Ordering::Release);
        tls::set_record((&raw const *self).cast_mut());
    }

    pub fn id(&self) -> StreamId {
        StreamId(self.stream)
    }

    pub fn state(&self) -> State {
        match self.state.load(Ordering::Relaxed) {
            2 => State::Blocked,
            3 => State::Outside,
            4 => State::Ended,
            _ => State::Runnable,
        }
    }

    pub fn set_state(&self, state: State) {
        self.state.store(state as u32, Ordering::Relaxed);
    }

    pub fn all() -> impl DoubleEndedIterator<Item = &'static Thread> {
        (1..=reweave_thread_count.load(Ordering::Acquire)).filter_map(|n| Thread::of(StreamId(n)))
    }

    pub fn of(stream: StreamId) -> Option<&'static Thread> {
        let pointer = reweave_threads
            .get(stream.0 as usize)?
            .load(Ordering::Acquire);
        // SAFETY: records are never freed.
        unsafe { pointer.as_ref() }
    }

    /// The thread that the program means by this handle: the youngest that it has not joined yet, since handles are used again.
    pub fn by_handle(handle: pthread_t) -> Option<&'static Thread> {
        Thread::all().rev().find(|thread| {
            thread.handle.load(Ordering::Relaxed) == handle as usize
                && thread.fate.load(Ordering::Relaxed) != JOINED
        })
    }

    pub fn by_kernel_number(number: u32) -> Option<&'static Thread> {
        Thread::all().rev().find(|thread| {
            thread.kernel.load(Ordering::Relaxed) == number && thread.state() != State::Ended
        })
    }
}
