//! What each kind of operation means, in whichever mode: hooks translate, this decides.

use crate::order::{From, Side, cells};
use crate::state::{Inside, Mode};
use crate::sys::{self, Nanos};
use crate::{ending, real, serial, start};
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
            let locked = serial::acquire(thread, mutex.addr(), from, None, try_lock);
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

/// A call that brings something in from outside.
#[derive(Clone, Copy)]
pub struct Input {
    pub from: From,
    pub descriptor: u32,
    /// What the call comes after in sync order: whoever wrote to the same pipe.
    pub after: Option<usize>,
    /// Others may run while it waits.
    pub blocking: bool,
}

/// Bytes that come from outside. `live` is the real call; it returns their number, or an error's number negated.
///
/// # Safety
/// `buffer` has room for `length` bytes.
pub unsafe fn input(
    input: Input,
    buffer: *mut u8,
    length: usize,
    live: impl Fn() -> isize,
) -> isize {
    let bytes = |result: isize| result.max(0) as usize;
    // SAFETY: by the caller.
    unsafe { input_of(input, buffer, length, bytes, live) }
}

/// The same for calls whose result is not the number of bytes, which `bytes` makes of it.
///
/// # Safety
/// `buffer` has room for `length` bytes.
pub unsafe fn input_of(
    input: Input,
    buffer: *mut u8,
    length: usize,
    bytes: impl Fn(isize) -> usize,
    live: impl Fn() -> isize,
) -> isize {
    let Some(inside) = Inside::enter() else {
        return live();
    };
    let (thread, from) = (inside.thread, input.from);
    let fill = |recorded: &[u8]| {
        let count = recorded.len().min(length);
        // SAFETY: the caller's room, of which no more than there is.
        unsafe { core::ptr::copy_nonoverlapping(recorded.as_ptr(), buffer, count) };
    };
    let keep = |result: isize| {
        // SAFETY: the caller's bytes, which the call has written.
        let bytes = unsafe { core::slice::from_raw_parts(buffer, bytes(result).min(length)) };
        thread.log_input(from, input.descriptor, result, bytes);
        result
    };
    match start::side() {
        Some(Side::Record) => {
            let result = live();
            if let Some(object) = input.after {
                Side::Record.acquire(thread, object, from, || 0);
            }
            keep(result)
        }
        Some(side @ Side::Replay(replaying)) => {
            if let Some(object) = input.after {
                side.acquire(thread, object, from, || 0);
            }
            replaying.turn(thread, Kind::Input, from);
            let result = replaying.turns.value(thread.id()) as isize;
            fill(replaying.input(thread).unwrap_or(&[]));
            replaying.done(thread);
            result
        }
        None => {
            let made = match input.blocking {
                true => serial::outside(thread, from, &live),
                false => None,
            };
            if made.is_none()
                && let Some((result, recorded)) = serial::recorded_input(thread, from)
            {
                fill(recorded);
                thread.log_input(from, input.descriptor, result, recorded);
                return result;
            }
            keep(made.unwrap_or_else(live))
        }
    }
}

/// Something that goes to others than the user: only a recording does it.
pub fn output(descriptor: u32, object: usize, from: From, live: impl Fn() -> isize) -> isize {
    if let Some(side) = start::side()
        && let Some(inside) = Inside::enter()
    {
        // Before the call, so that whoever reads it comes after.
        side.release(inside.thread, Kind::Notify, object, from, || 0);
    }
    let input = Input {
        from,
        descriptor,
        after: None,
        blocking: true,
    };
    // SAFETY: no bytes.
    unsafe {
        let nothing = core::ptr::NonNull::dangling().as_ptr();
        input_of(input, nothing, 0, |_| 0, live)
    }
}
