//! Waiting for descriptors: `poll`, `select`. What they found is what they found, whatever the descriptors are in a replay.

use super::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::real;
use core::ffi::{c_int, c_long, c_void};
use libc::{nfds_t, pollfd, timespec, timeval};

/// `poll`: what the call writes is in the program's list.
unsafe fn poll_any(
    from: From,
    list: *mut c_void,
    count: nfds_t,
    real: impl Fn() -> c_int,
) -> c_int {
    let length = count as usize * core::mem::size_of::<pollfd>();
    let live = || negated(real() as isize);
    // The number that is returned counts descriptors, not bytes: all of the list is kept.
    // SAFETY: the program's list and its length.
    as_errno(unsafe {
        input::bytes(
            Call::waiting(from, 0),
            list.cast(),
            length,
            |_| length,
            live,
        )
    }) as c_int
}

const SET: usize = 128;

/// `select`: three sets in one piece, because an input is one.
unsafe fn select_any(from: From, sets: [*mut c_void; 3], real: impl Fn() -> c_int) -> c_int {
    let keep = |_| {
        let mut bytes = Vec::with_capacity(3 * SET);
        for set in sets {
            // SAFETY: sets of the program's are as large as libc's.
            bytes.extend_from_slice(unsafe { input::slice(set.cast(), SET) });
        }
        bytes
    };
    let feed = |result, bytes: &[u8]| {
        let given = sets.iter().filter(|set| !set.is_null());
        for (set, bytes) in given.zip(bytes.chunks_exact(SET)) {
            // SAFETY: as above.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), set.cast(), SET) };
        }
        result
    };
    let live = || negated(real() as isize);
    as_errno(input::call(Call::waiting(from, 0), live, keep, feed)) as c_int
}

hooks! {
    fn poll(list: *mut c_void, count: nfds_t, timeout: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { poll_any(from, list, count, || real::poll(list, count as c_long, timeout)) }
    }

    fn __poll_chk(list: *mut c_void, count: nfds_t, timeout: c_int, room: usize) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { poll_any(from, list, count, || real::__poll_chk(list, count as c_long, timeout, room)) }
    }

    fn ppoll(list: *mut c_void, count: nfds_t, timeout: *const timespec, mask: *const c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { poll_any(from, list, count, || real::ppoll(list, count as c_long, timeout, mask)) }
    }

    fn select(highest: c_int, reading: *mut c_void, writing: *mut c_void, other: *mut c_void, time: *mut timeval) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { select_any(from, [reading, writing, other], || real::select(highest, reading, writing, other, time)) }
    }

    fn pselect(highest: c_int, reading: *mut c_void, writing: *mut c_void, other: *mut c_void, time: *const timespec, mask: *const c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { select_any(from, [reading, writing, other], || real::pselect(highest, reading, writing, other, time, mask)) }
    }
}
