//! What each kind of operation means, in whichever mode: hooks translate, this decides.

use crate::order::{From, cells};
use crate::state::{Inside, Mode};
use crate::sys::{self, Nanos};
use crate::{cancel, ending, real, serial, start};
use core::ffi::{c_int, c_void};
use libc::timespec;
use reweave_trace::Kind;

/// A time limit as the program gave it.
#[derive(Clone, Copy)]
pub struct Limit {
    pub clock: c_int,
    pub time: *const timespec,
}

impl Limit {
    fn deadline(self) -> Nanos {
        deadline(self.clock, self.time)
    }
}

/// A point in time on the monotonic clock, by which the scheduler goes.
pub fn deadline(clock: c_int, time: *const timespec) -> Nanos {
    // SAFETY: the program passes a time; a null pointer would have crashed it in libc as well.
    let time = sys::nanos(unsafe { &*time });
    let rest = time.saturating_sub(sys::clock(clock));
    sys::clock(libc::CLOCK_MONOTONIC) + rest.max(1)
}

/// Takes a lock: `take` waits for it, `attempt` does not and says `EBUSY`.
pub fn acquire(
    object: *mut c_void,
    from: From,
    take: impl Fn() -> c_int,
    attempt: impl Fn() -> c_int,
) -> c_int {
    let Some(inside) = Inside::enter() else {
        return take();
    };
    match start::side() {
        Some(side) => side.acquire(inside.thread, object.addr(), from, take),
        None => serial::acquire(inside.thread, object.addr(), from, None, attempt),
    }
}

/// Takes a lock if it is free. `take` is for a replay, in which it will be.
pub fn attempt(
    object: *mut c_void,
    from: From,
    attempt: impl Fn() -> c_int,
    take: impl Fn() -> c_int,
) -> c_int {
    let Some(inside) = Inside::enter() else {
        return attempt();
    };
    match start::side() {
        Some(side) => side.attempt(inside.thread, object.addr(), from, attempt, take),
        None => {
            serial::pass(inside.thread, from);
            attempt()
        }
    }
}

/// Takes a lock if it is free in time.
pub fn timed(
    object: *mut c_void,
    from: From,
    limit: Limit,
    timed: impl Fn() -> c_int,
    take: impl Fn() -> c_int,
    attempt: impl Fn() -> c_int,
) -> c_int {
    let Some(inside) = Inside::enter() else {
        return timed();
    };
    match start::side() {
        Some(side) => side.attempt(inside.thread, object.addr(), from, timed, take),
        None => {
            let deadline = Some(limit.deadline());
            serial::acquire(inside.thread, object.addr(), from, deadline, attempt)
        }
    }
}

/// Gives a lock back.
pub fn release(object: *mut c_void, from: From, give: impl Fn() -> c_int) -> c_int {
    if !Mode::now().is_serial() {
        return give();
    }
    let Some(inside) = Inside::enter() else {
        return give();
    };
    let result = give();
    serial::wake(object.addr(), serial::Who::All);
    serial::pass(inside.thread, from);
    result
}

/// Tells others that they may go on, where the order of telling matters: `sem_post`.
pub fn post(object: *mut c_void, from: From, give: impl Fn() -> c_int) -> c_int {
    let Some(inside) = Inside::enter() else {
        return give();
    };
    match start::side() {
        Some(side) => side.release(inside.thread, Kind::Notify, object.addr(), from, give),
        None => {
            let result = give();
            serial::wake(object.addr(), serial::Who::All);
            serial::pass(inside.thread, from);
            result
        }
    }
}

/// Waits for a condition.
pub fn wait(
    condition: *mut c_void,
    mutex: *mut c_void,
    from: From,
    limit: Option<Limit>,
    wait: impl Fn() -> c_int,
) -> c_int {
    let Some(inside) = Inside::enter() else {
        return wait();
    };
    // SAFETY: the program's own mutex, on which it has just called a function that does the same.
    let (unlock, lock, try_lock) = unsafe {
        (
            || real::pthread_mutex_unlock(mutex),
            || real::pthread_mutex_lock(mutex),
            || real::pthread_mutex_trylock(mutex),
        )
    };
    let (condition, thread) = (condition.addr(), inside.thread);
    match start::side() {
        Some(side) => side.wait(thread, condition, mutex.addr(), from, wait, (unlock, lock)),
        None => {
            if ending::owner_of(mutex.addr()).is_none_or(|owner| owner.stream != thread.stream) {
                // Not the thread's own mutex, which libc finds out for some kinds only.
                let result = unlock();
                if result != 0 {
                    return result;
                }
            } else {
                unlock();
            }
            serial::wake(mutex.addr(), serial::Who::All);
            let ended = serial::block(thread, condition, from, limit.map(Limit::deadline));
            let locked = cancel::not_now(thread, || {
                serial::acquire(thread, mutex.addr(), from, None, try_lock)
            });
            match (locked, ended) {
                (0, serial::Ended::Woken) => 0,
                (0, serial::Ended::TimedOut) => libc::ETIMEDOUT,
                (error, _) => error,
            }
        }
    }
}

/// Wakes one or all who wait for a condition.
pub fn signal(
    condition: *mut c_void,
    from: From,
    who: serial::Who,
    real: impl Fn() -> c_int,
) -> c_int {
    let Some(inside) = Inside::enter() else {
        return real();
    };
    match start::side() {
        Some(side) => {
            cells::notified(condition.addr(), inside.thread.link());
            let kind = match who {
                serial::Who::One => Kind::Notify,
                serial::Who::All => Kind::NotifyAll,
            };
            side.release(inside.thread, kind, condition.addr(), from, real)
        }
        None => {
            serial::wake(condition.addr(), who);
            0
        }
    }
}

/// Something that differs from run to run.
pub fn value(from: From, read: impl Fn() -> u64) -> u64 {
    let Some(inside) = Inside::enter() else {
        return read();
    };
    match start::side() {
        Some(side) => side.value(inside.thread, from, read),
        None => serial::value(inside.thread, from, read),
    }
}
