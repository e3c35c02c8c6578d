//! `pthread_barrier_wait`. Nobody passes before the last has come, and one is told that it is the special one.

use crate::order::{From, Side};
use crate::state::Inside;
use crate::thread::Thread;
use crate::{real, serial, start};
use core::ffi::{c_int, c_void};
use reweave_trace::Kind;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// In serial runs, how many wait at each barrier.
static WAITING: Mutex<Option<HashMap<usize, u32>>> = Mutex::new(None);

unsafe fn serial_wait(thread: &'static Thread, barrier: *mut c_void, from: From) -> c_int {
    // glibc keeps the number to wait for at offset 8.
    // SAFETY: the program's own barrier.
    let needed = unsafe { *barrier.cast::<u32>().add(2) };
    let complete = {
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        let arrived = waiting
            .get_or_insert_default()
            .entry(barrier.addr())
            .or_default();
        *arrived += 1;
        let complete = *arrived >= needed;
        if complete {
            *arrived = 0;
        }
        complete
    };
    if complete {
        serial::wake(barrier.addr(), serial::Who::All);
        return libc::PTHREAD_BARRIER_SERIAL_THREAD;
    }
    serial::block(thread, barrier.addr(), from, None);
    0
}

hooks! {
    fn pthread_barrier_wait(barrier: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        let wait = || unsafe { real::pthread_barrier_wait(barrier) };
        let Some(inside) = Inside::enter() else { return wait() };
        let thread = inside.thread;
        match start::side() {
            // SAFETY: passed on.
            None => unsafe { serial_wait(thread, barrier, from) },
            Some(side) => {
                // All have come before anybody goes, so whoever goes comes after the last event on the barrier.
                side.release(thread, Kind::Notify, barrier.addr(), from, || 0);
                let read = || match side {
                    Side::Record => wait() as u64,
                    Side::Replay(_) => 0,
                };
                side.value_after(thread, barrier.addr(), from, read) as c_int
            }
        }
    }
}
