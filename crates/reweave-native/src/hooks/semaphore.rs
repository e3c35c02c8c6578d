//! `sem_*`. They report errors in `errno`; inside, functions return them.

use crate::log::Errno;
use crate::real;
use crate::sync::{self, Limit};
use core::ffi::{c_int, c_void};
use libc::timespec;

type Semaphore = *mut c_void;

/// The error of a call, 0 if there was none. A semaphore that has to be waited for is busy.
fn error(result: c_int) -> c_int {
    match (result, Errno::get()) {
        (0, _) => 0,
        (_, libc::EAGAIN) => libc::EBUSY,
        (_, errno) => errno,
    }
}

fn as_errno(error: c_int) -> c_int {
    match error {
        0 => return 0,
        libc::EBUSY => Errno::set(libc::EAGAIN),
        error => Errno::set(error),
    }
    -1
}

unsafe fn take(semaphore: Semaphore) -> c_int {
    // SAFETY: passed on.
    error(unsafe { real::sem_wait(semaphore) })
}

unsafe fn attempt(semaphore: Semaphore) -> c_int {
    // SAFETY: passed on.
    error(unsafe { real::sem_trywait(semaphore) })
}

hooks! {
    fn sem_wait(semaphore: Semaphore) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(unsafe { sync::acquire(semaphore, from, || take(semaphore), || attempt(semaphore)) })
    }

    fn sem_trywait(semaphore: Semaphore) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(unsafe { sync::attempt(semaphore, from, || attempt(semaphore), || take(semaphore)) })
    }

    fn sem_timedwait(semaphore: Semaphore, time: *const timespec) -> c_int |from| {
        let limit = Limit { clock: libc::CLOCK_REALTIME, time };
        // SAFETY: passed on.
        as_errno(unsafe { sync::timed(semaphore, from, limit, || error(real::sem_timedwait(semaphore, time)), || take(semaphore), || attempt(semaphore)) })
    }

    fn sem_clockwait(semaphore: Semaphore, clock: c_int, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(unsafe { sync::timed(semaphore, from, Limit { clock, time }, || error(real::sem_clockwait(semaphore, clock, time)), || take(semaphore), || attempt(semaphore)) })
    }

    fn sem_post(semaphore: Semaphore) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(sync::post(semaphore, from, || error(unsafe { real::sem_post(semaphore) })))
    }

    /// What it says may be old already when it says it, so it is a value like the time.
    fn sem_getvalue(semaphore: Semaphore, value: *mut c_int) -> c_int |from| {
        let read = || {
            let mut now = 0;
            // SAFETY: passed on, with a place of ours for the value.
            match error(unsafe { real::sem_getvalue(semaphore, &mut now) }) {
                0 => now as u32 as u64,
                error => (error as u64) << 32,
            }
        };
        let read = sync::value(from, read);
        match (read >> 32) as c_int {
            0 => {
                // SAFETY: where the program wants it.
                unsafe { *value = read as c_int };
                0
            }
            error => as_errno(error),
        }
    }
}
