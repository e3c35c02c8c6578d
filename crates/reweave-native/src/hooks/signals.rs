//! Which signals the program handles. A thread that does not have the processor must not run a handler, so these are kept from it.

use crate::real;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};
use libc::sigaction as Action;

/// One bit for each signal, as in the kernel's sets.
static HANDLED: AtomicU64 = AtomicU64::new(0);

pub fn handled() -> u64 {
    HANDLED.load(Ordering::Relaxed)
}

fn note(signal: c_int, handler: usize) {
    if !(1..=64).contains(&signal) {
        return;
    }
    // A thread can only do these to itself.
    let own = matches!(
        signal,
        libc::SIGILL | libc::SIGTRAP | libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGSYS
    );
    let bit = 1 << (signal - 1);
    match handler {
        libc::SIG_DFL | libc::SIG_IGN => HANDLED.fetch_and(!bit, Ordering::Relaxed),
        _ if own => 0,
        _ => HANDLED.fetch_or(bit, Ordering::Relaxed),
    };
}

hooks! {
    fn sigaction(signal: c_int, action: *const Action, old: *mut Action) -> c_int |from| {
        // SAFETY: passed on.
        let result = unsafe { real::sigaction(signal, action, old) };
        // SAFETY: the program's own action, if it gave one.
        if let (0, Some(action)) = (result, unsafe { action.as_ref() }) {
            note(signal, action.sa_sigaction);
        }
        result
    }

    fn signal(signal: c_int, handler: *mut c_void) -> *mut c_void |from| {
        // SAFETY: passed on.
        let old = unsafe { real::signal(signal, handler) };
        if old.addr() != libc::SIG_ERR {
            note(signal, handler.addr());
        }
        old
    }
}
