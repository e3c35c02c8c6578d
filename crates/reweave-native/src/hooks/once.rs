//! `pthread_once` and `call_once`: who runs the routine, and that others come after it.

use crate::order::{From, Side};
use crate::state::Inside;
use crate::{real, serial, start};
use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, Ordering};
use reweave_trace::Kind;
use std::sync::{Mutex, PoisonError};

/// In serial runs, the controls whose routine is running.
static RUNNING: Mutex<Vec<usize>> = Mutex::new(Vec::new());

thread_local! {
    /// What the real `pthread_once` is to run in this thread: control, routine, place.
    static ROUTINE: Cell<(usize, usize, From)> = const { Cell::new((0, 0, 0)) };
}

/// glibc's word for a routine that has run.
const DONE: c_int = 2;

unsafe fn once(control: *mut c_int, routine: *mut c_void, from: From) -> c_int {
    let Some(inside) = Inside::enter() else {
        // SAFETY: passed on.
        return unsafe { real::pthread_once(control, routine) };
    };
    let thread = inside.thread;
    match start::side() {
        // SAFETY: passed on.
        None => unsafe { serial_once(&inside, control, routine, from) },
        Some(side) => {
            let before = ROUTINE.replace((control.addr(), routine.addr(), from));
            if let Side::Replay(replaying) = side
                && !replaying.expects(thread, &[Kind::Notify])
            {
                // Another thread ran it: its end comes first.
                replaying.turn(thread, Kind::Acquire, from);
                // SAFETY: passed on, with a routine of the same type.
                let result = unsafe { real::pthread_once(control, run_routine as *mut c_void) };
                replaying.done(thread);
                ROUTINE.set(before);
                return result;
            }
            // SAFETY: as above.
            let result = unsafe { real::pthread_once(control, run_routine as *mut c_void) };
            side.acquire(thread, control.addr(), from, || 0);
            ROUTINE.set(before);
            result
        }
    }
}

/// Runs in the thread that libc chose, which is in our code.
extern "C" fn run_routine() {
    let (control, routine, from) = ROUTINE.get();
    // SAFETY: the record of a thread is never freed; this one has one, since it came by `once`.
    let Some(thread) = (unsafe { crate::tls::record().as_ref() }) else {
        return;
    };
    if let Some(side) = start::side() {
        side.release(thread, Kind::Notify, control, from, || 0);
    }
    // SAFETY: what the program gave as its routine.
    let routine: extern "C" fn() = unsafe { core::mem::transmute(routine) };
    crate::tls::set_me((&raw const *thread).cast_mut());
    routine();
    crate::tls::set_me(core::ptr::null_mut());
}

unsafe fn serial_once(
    inside: &Inside,
    control: *mut c_int,
    routine: *mut c_void,
    from: From,
) -> c_int {
    let is_running = || {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.contains(&control.addr())
    };
    while is_running() {
        serial::block(inside.thread, control.addr(), from, None);
    }
    // SAFETY: the program's own control word.
    let word = unsafe { AtomicI32::from_ptr(control) };
    if word.load(Ordering::Acquire) & DONE != 0 {
        return 0;
    }
    let with = |change: &dyn Fn(&mut Vec<usize>)| {
        change(&mut RUNNING.lock().unwrap_or_else(PoisonError::into_inner));
    };
    with(&|running| running.push(control.addr()));
    // SAFETY: what the program gave as its routine.
    let routine: extern "C" fn() = unsafe { core::mem::transmute(routine) };
    inside.outside(|| routine());
    with(&|running| running.retain(|other| *other != control.addr()));
    word.store(DONE, Ordering::Release);
    serial::wake(control.addr(), serial::Who::All);
    0
}

hooks! {
    fn pthread_once(control: *mut c_int, routine: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { once(control, routine, from) }
    }

    fn call_once(control: *mut c_int, routine: *mut c_void) -> c_int |from| {
        // SAFETY: glibc's `once_flag` is its `pthread_once_t`.
        unsafe { once(control, routine, from) }
    }
}
