//! `pthread_spin_*`.

use crate::{real, sync};
use core::ffi::{c_int, c_void};

hooks! {
    fn pthread_spin_lock(lock: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::acquire(lock, from, || real::pthread_spin_lock(lock), || real::pthread_spin_trylock(lock)) }
    }

    fn pthread_spin_trylock(lock: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { sync::attempt(lock, from, || real::pthread_spin_trylock(lock), || real::pthread_spin_lock(lock)) }
    }

    fn pthread_spin_unlock(lock: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        sync::release(lock, from, || unsafe { real::pthread_spin_unlock(lock) })
    }
}
