//! `pthread_rwlock_*`.

use crate::real;
use crate::sync::{self, Limit};
use core::ffi::{c_int, c_void};
use libc::{CLOCK_REALTIME as REALTIME, timespec};

type Lock = *mut c_void;

hooks! {
    fn pthread_rwlock_rdlock(lock: Lock) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::acquire(lock, from, || real::pthread_rwlock_rdlock(lock), || real::pthread_rwlock_tryrdlock(lock)) }
    }

    fn pthread_rwlock_wrlock(lock: Lock) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::acquire(lock, from, || real::pthread_rwlock_wrlock(lock), || real::pthread_rwlock_trywrlock(lock)) }
    }

    fn pthread_rwlock_tryrdlock(lock: Lock) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::attempt(lock, from, || real::pthread_rwlock_tryrdlock(lock), || real::pthread_rwlock_rdlock(lock)) }
    }

    fn pthread_rwlock_trywrlock(lock: Lock) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::attempt(lock, from, || real::pthread_rwlock_trywrlock(lock), || real::pthread_rwlock_wrlock(lock)) }
    }

    fn pthread_rwlock_timedrdlock(lock: Lock, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::timed(lock, from, Limit { clock: REALTIME, time }, || real::pthread_rwlock_timedrdlock(lock, time),
            || real::pthread_rwlock_rdlock(lock), || real::pthread_rwlock_tryrdlock(lock)) }
    }

    fn pthread_rwlock_timedwrlock(lock: Lock, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::timed(lock, from, Limit { clock: REALTIME, time }, || real::pthread_rwlock_timedwrlock(lock, time),
            || real::pthread_rwlock_wrlock(lock), || real::pthread_rwlock_trywrlock(lock)) }
    }

    fn pthread_rwlock_clockrdlock(lock: Lock, clock: c_int, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::timed(lock, from, Limit { clock, time }, || real::pthread_rwlock_clockrdlock(lock, clock, time),
            || real::pthread_rwlock_rdlock(lock), || real::pthread_rwlock_tryrdlock(lock)) }
    }

    fn pthread_rwlock_clockwrlock(lock: Lock, clock: c_int, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::timed(lock, from, Limit { clock, time }, || real::pthread_rwlock_clockwrlock(lock, clock, time),
            || real::pthread_rwlock_wrlock(lock), || real::pthread_rwlock_trywrlock(lock)) }
    }

    fn pthread_rwlock_unlock(lock: Lock) -> c_int |from| {
        // SAFETY: passed on.
        sync::release(lock, from, || unsafe { real::pthread_rwlock_unlock(lock) })
    }
}
