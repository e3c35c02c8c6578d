//! Ends of processes that run no destructors, and children.

use crate::state::{Inside, Mode};
use crate::{ending, real, start, tls};
use core::ffi::c_int;

fn end() {
    if Inside::enter().map(core::mem::forget).is_some() {
        ending::process_ends();
    }
}

/// Whether a process's number means this one, or its group.
pub fn is_this(number: c_int) -> bool {
    number == start::seen_number() || number == 0
}

hooks! {
    fn _exit(code: c_int) -> c_int |from| {
        end();
        // SAFETY: passed on.
        unsafe { real::_exit(code) }
    }

    fn _Exit(code: c_int) -> c_int |from| {
        end();
        // SAFETY: the same function under its C name.
        unsafe { real::_exit(code) }
    }

    /// The child runs as if we were not there: it has one thread, and its part of the recording would mix with its parent's.
    fn fork() -> c_int |from| {
        let inside = Inside::enter();
        // SAFETY: no arguments.
        let child = unsafe { real::fork() };
        if child == 0 {
            Mode::Off.set();
            core::mem::forget(inside);
            tls::set_me(core::ptr::null_mut());
        }
        child
    }
}
