//! `pthread_cond_*`, and the C11 names.

use crate::real;
use crate::serial::Who;
use crate::sync::{self, Limit};
use core::ffi::{c_int, c_void};
use libc::timespec;

type Condition = *mut c_void;
type Mutex = *mut c_void;

/// The clock of a condition's timeouts: bit 1 of the word at offset 36, where glibc keeps it.
unsafe fn clock_of(condition: Condition) -> c_int {
    // SAFETY: the program's own condition.
    match unsafe { *condition.cast::<u32>().add(9) } & 2 {
        0 => libc::CLOCK_REALTIME,
        _ => libc::CLOCK_MONOTONIC,
    }
}

/// The results of C11 functions.
fn c11(result: c_int) -> c_int {
    match result {
        0 => 0,
        libc::ETIMEDOUT => 4,
        _ => 2,
    }
}

unsafe fn wait(condition: Condition, mutex: Mutex, from: usize) -> c_int {
    // SAFETY: passed on.
    sync::wait(condition, mutex, from, None, || unsafe {
        real::pthread_cond_wait(condition, mutex)
    })
}

unsafe fn timed_wait(
    condition: Condition,
    mutex: Mutex,
    time: *const timespec,
    from: usize,
) -> c_int {
    // SAFETY: passed on.
    let clock = unsafe { clock_of(condition) };
    let limit = Limit { clock, time };
    // SAFETY: passed on.
    sync::wait(condition, mutex, from, Some(limit), || unsafe {
        real::pthread_cond_timedwait(condition, mutex, time)
    })
}

hooks! {
    fn pthread_cond_wait(condition: Condition, mutex: Mutex) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait(condition, mutex, from) }
    }

    fn pthread_cond_timedwait(condition: Condition, mutex: Mutex, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { timed_wait(condition, mutex, time, from) }
    }

    fn pthread_cond_clockwait(condition: Condition, mutex: Mutex, clock: c_int, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        sync::wait(condition, mutex, from, Some(Limit { clock, time }), || unsafe { real::pthread_cond_clockwait(condition, mutex, clock, time) })
    }

    fn pthread_cond_signal(condition: Condition) -> c_int |from| {
        // SAFETY: passed on.
        sync::signal(condition, from, Who::One, || unsafe { real::pthread_cond_signal(condition) })
    }

    fn pthread_cond_broadcast(condition: Condition) -> c_int |from| {
        // SAFETY: passed on.
        sync::signal(condition, from, Who::All, || unsafe { real::pthread_cond_broadcast(condition) })
    }

    fn cnd_wait(condition: Condition, mutex: Mutex) -> c_int |from| {
        // SAFETY: glibc's `cnd_t` is its `pthread_cond_t`.
        c11(unsafe { wait(condition, mutex, from) })
    }

    fn cnd_timedwait(condition: Condition, mutex: Mutex, time: *const timespec) -> c_int |from| {
        // SAFETY: as above.
        c11(unsafe { timed_wait(condition, mutex, time, from) })
    }

    fn cnd_signal(condition: Condition) -> c_int |from| {
        // SAFETY: as above.
        c11(sync::signal(condition, from, Who::One, || unsafe { real::pthread_cond_signal(condition) }))
    }

    fn cnd_broadcast(condition: Condition) -> c_int |from| {
        // SAFETY: as above.
        c11(sync::signal(condition, from, Who::All, || unsafe { real::pthread_cond_broadcast(condition) }))
    }
}
