//! Sync order: the order of operations on each object is recorded, threads run in parallel, in a replay as well.
//!
//! Needs no recompiled program. Exact for programs without data races whose locks are libc's; others leave the recording, and are told so.

pub mod cells;
pub mod replay;

use crate::signals;
use crate::thread::Thread;
use core::ffi::c_int;
use core::sync::atomic::Ordering;
use replay::Replaying;
use reweave_trace::{Kind, Tag, Woken};

/// Which side of a run this is.
#[derive(Clone, Copy)]
pub enum Side {
    Record,
    Replay(&'static Replaying),
}

/// Where in the program an operation is called from.
pub type From = usize;

impl Side {
    /// An operation that ends with the thread having the object: the real one comes first, then it is written down.
    pub fn acquire(
        self,
        thread: &'static Thread,
        object: usize,
        from: From,
        take: impl Fn() -> c_int,
    ) -> c_int {
        self.attempt(thread, object, from, &take, &take)
    }

    /// An attempt that may fail: `attempt` tries, `take` is what a replay does if it succeeded.
    pub fn attempt(
        self,
        thread: &'static Thread,
        object: usize,
        from: From,
        attempt: impl FnOnce() -> c_int,
        take: impl FnOnce() -> c_int,
    ) -> c_int {
        signals::due(thread);
        match self {
            Side::Record => {
                let result = signals::while_waiting(thread, attempt);
                if is_held(result) {
                    log_object(thread, Kind::Acquire, object, from);
                } else {
                    log_value(thread, from, result as u64);
                }
                result
            }
            Side::Replay(replaying) if replaying.expects(thread, &[Kind::Value]) => {
                self.value(thread, from, || 0) as c_int
            }
            Side::Replay(replaying) => {
                thread.object.store(object, Ordering::Relaxed);
                replaying.turn(thread, Kind::Acquire, from);
                let result = take();
                replaying.done(thread);
                thread.object.store(0, Ordering::Relaxed);
                result
            }
        }
    }

    /// An operation that others can see once it is written down: a signal, a post.
    pub fn release(
        self,
        thread: &'static Thread,
        kind: Kind,
        object: usize,
        from: From,
        give: impl FnOnce() -> c_int,
    ) -> c_int {
        signals::due(thread);
        match self {
            Side::Record => {
                log_object(thread, kind, object, from);
                give()
            }
            Side::Replay(replaying) => {
                replaying.turn(thread, kind, from);
                let result = give();
                replaying.done(thread);
                result
            }
        }
    }

    /// Something read from outside the program's own memory.
    pub fn value(self, thread: &'static Thread, from: From, read: impl FnOnce() -> u64) -> u64 {
        signals::due(thread);
        match self {
            Side::Record => {
                let value = signals::while_waiting(thread, read);
                log_value(thread, from, value);
                value
            }
            Side::Replay(replaying) => {
                replaying.turn(thread, Kind::Value, from);
                let value = replaying.turns.value(thread.id());
                replaying.done(thread);
                value
            }
        }
    }

    /// A value that was decided by the events on an object so far.
    pub fn value_after(
        self,
        thread: &'static Thread,
        object: usize,
        from: From,
        read: impl FnOnce() -> u64,
    ) -> u64 {
        signals::due(thread);
        match self {
            Side::Record => {
                let value = read();
                let site = thread.places.site(from);
                thread.log_valued(Kind::Value, site, Tag::NONE, cells::last(object), value);
                value
            }
            Side::Replay(_) => self.value(thread, from, read),
        }
    }

    /// A wait for a condition. `wait` is the real one; a replay gives the mutex up, waits for its turn and takes it again.
    pub fn wait(
        self,
        thread: &'static Thread,
        condition: usize,
        mutex: usize,
        from: From,
        wait: impl FnOnce() -> c_int,
        mutex_calls: (impl FnOnce() -> c_int, impl FnOnce() -> c_int),
    ) -> c_int {
        signals::due(thread);
        match self {
            Side::Record => {
                let result = signals::while_waiting(thread, wait);
                if result != 0 && result != libc::ETIMEDOUT {
                    // The mutex was not the thread's own: an error that comes again.
                    return result;
                }
                let woken = match (result, cells::last_notify(condition)) {
                    (libc::ETIMEDOUT, _) => Woken::TIMED_OUT,
                    (_, 0) => Woken::SPURIOUS,
                    (_, link) => link,
                };
                let before = cells::exchange(mutex, thread.link());
                let site = thread.places.site(from);
                thread.log_valued(Kind::Wait, site, cells::tag(mutex), before, woken);
                result
            }
            Side::Replay(replaying) => {
                let (unlock, lock) = mutex_calls;
                let result = unlock();
                if result != 0 {
                    return result;
                }
                replaying.turn(thread, Kind::Wait, from);
                let woken = replaying.turns.value(thread.id());
                lock();
                replaying.done(thread);
                match woken {
                    Woken::TIMED_OUT => libc::ETIMEDOUT,
                    _ => 0,
                }
            }
        }
    }
}

/// Whether a lock function's result means that the lock is held. Of a robust mutex, also after its owner's death.
fn is_held(result: c_int) -> bool {
    result == 0 || result == libc::EOWNERDEAD
}

#[inline]
fn log_object(thread: &'static Thread, kind: Kind, object: usize, from: From) {
    let site = thread.places.site(from);
    let before = cells::exchange(object, thread.link());
    thread.log_linked(kind, site, cells::tag(object), before);
}

fn log_value(thread: &'static Thread, from: From, value: u64) {
    let site = thread.places.site(from);
    thread.log_valued(Kind::Value, site, Tag::NONE, 0, value);
}
