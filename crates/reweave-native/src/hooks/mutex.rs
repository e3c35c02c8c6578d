//! `pthread_mutex_*`, and the C11 names, which glibc makes of them without asking us.

use crate::sync::{self, Limit};
use crate::{ending, real};
use core::ffi::{c_int, c_void};
use libc::timespec;

type Mutex = *mut c_void;

/// The results of C11 lock functions.
const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const TIMED_OUT: c_int = 4;

fn c11(result: c_int) -> c_int {
    match result {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

/// Like `pthread_mutex_trylock`, with the error that `pthread_mutex_lock` gives to a thread that has the mutex already.
unsafe fn attempt(mutex: Mutex) -> c_int {
    // SAFETY: the program's own mutex.
    let result = unsafe { real::pthread_mutex_trylock(mutex) };
    // glibc keeps the kind at offset 16.
    // SAFETY: as above.
    let checked = unsafe { *mutex.cast::<c_int>().add(4) } & 3 == libc::PTHREAD_MUTEX_ERRORCHECK;
    let own = || {
        ending::owner_of(mutex.addr()).is_some_and(|owner| {
            owner.kernel.load(core::sync::atomic::Ordering::Relaxed)
                == crate::sys::thread_number() as u32
        })
    };
    if result == libc::EBUSY && checked && own() {
        return libc::EDEADLK;
    }
    result
}

unsafe fn lock(mutex: Mutex, from: usize) -> c_int {
    // SAFETY: the caller's mutex is passed on.
    unsafe {
        sync::acquire(
            mutex,
            from,
            || real::pthread_mutex_lock(mutex),
            || attempt(mutex),
        )
    }
}

unsafe fn try_lock(mutex: Mutex, from: usize) -> c_int {
    // SAFETY: the caller's mutex is passed on.
    unsafe {
        sync::attempt(
            mutex,
            from,
            || real::pthread_mutex_trylock(mutex),
            || real::pthread_mutex_lock(mutex),
        )
    }
}

unsafe fn timed_lock(mutex: Mutex, from: usize, limit: Limit, timed: impl Fn() -> c_int) -> c_int {
    // SAFETY: the caller's mutex is passed on.
    unsafe {
        sync::timed(
            mutex,
            from,
            limit,
            timed,
            || real::pthread_mutex_lock(mutex),
            || attempt(mutex),
        )
    }
}

unsafe fn unlock(mutex: Mutex, from: usize) -> c_int {
    // SAFETY: the caller's mutex is passed on.
    sync::release(mutex, from, || unsafe { real::pthread_mutex_unlock(mutex) })
}

// SAFETY of all: what the program passes is passed on to the function it meant.
hooks! {
    fn pthread_mutex_lock(mutex: Mutex) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { lock(mutex, from) }
    }

    fn pthread_mutex_trylock(mutex: Mutex) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { try_lock(mutex, from) }
    }

    fn pthread_mutex_timedlock(mutex: Mutex, time: *const timespec) -> c_int |from| {
        let limit = Limit { clock: libc::CLOCK_REALTIME, time };
        // SAFETY: passed on.
        unsafe { timed_lock(mutex, from, limit, || real::pthread_mutex_timedlock(mutex, time)) }
    }

    fn pthread_mutex_clocklock(mutex: Mutex, clock: c_int, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { timed_lock(mutex, from, Limit { clock, time }, || real::pthread_mutex_clocklock(mutex, clock, time)) }
    }

    fn pthread_mutex_unlock(mutex: Mutex) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { unlock(mutex, from) }
    }

    fn mtx_lock(mutex: Mutex) -> c_int |from| {
        // SAFETY: glibc's `mtx_t` is its `pthread_mutex_t`.
        c11(unsafe { lock(mutex, from) })
    }

    fn mtx_trylock(mutex: Mutex) -> c_int |from| {
        // SAFETY: as above.
        c11(unsafe { try_lock(mutex, from) })
    }

    fn mtx_timedlock(mutex: Mutex, time: *const timespec) -> c_int |from| {
        let limit = Limit { clock: libc::CLOCK_REALTIME, time };
        // SAFETY: as above.
        c11(unsafe { timed_lock(mutex, from, limit, || real::pthread_mutex_timedlock(mutex, time)) })
    }

    fn mtx_unlock(mutex: Mutex) -> c_int |from| {
        // SAFETY: as above.
        c11(unsafe { unlock(mutex, from) })
    }
}
