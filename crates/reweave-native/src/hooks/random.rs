//! Random bytes, and numbers that the kernel gives out.

use crate::hooks::io::{as_errno, negated};
use crate::input::{self, Call, as_many};
use crate::{real, start, sync};
use core::ffi::{c_int, c_uint, c_void};
use libc::{size_t, ssize_t};

/// # Safety
/// As `getrandom`.
pub unsafe fn get(buffer: *mut c_void, length: usize, flags: c_uint, from: usize) -> isize {
    // SAFETY: passed on.
    as_errno(unsafe {
        input::bytes(Call::reading(from), buffer.cast(), length, as_many, || {
            negated(real::getrandom(buffer, length, flags))
        })
    })
}

hooks! {
    fn getrandom(buffer: *mut c_void, length: size_t, flags: c_uint) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { get(buffer, length, flags, from) }
    }

    fn getentropy(buffer: *mut c_void, length: size_t) -> c_int |from| {
        // SAFETY: passed on.
        let live = || match negated(unsafe { real::getentropy(buffer, length) } as isize) {
            0 => length as isize,
            error => error,
        };
        // SAFETY: passed on.
        as_errno(unsafe { input::bytes(Call::reading(from), buffer.cast(), length, as_many, live) }).min(0) as c_int
    }

    fn arc4random() -> u32 |from| {
        let mut number = 0u32;
        let place = (&raw mut number).cast();
        // SAFETY: four bytes of ours.
        unsafe { input::bytes(Call::reading(from), place, 4, as_many, || real::getrandom(place.cast(), 4, 0)) };
        number
    }

    fn arc4random_buf(buffer: *mut c_void, length: size_t) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { input::bytes(Call::reading(from), buffer.cast(), length, as_many, || fill(buffer, length)) };
        0
    }

    fn getpid() -> c_int |from| {
        // SAFETY: no arguments.
        let number = sync::value(from, || unsafe { real::getpid() } as u64) as c_int;
        start::saw_number(number);
        number
    }

    fn getppid() -> c_int |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::getppid() } as u64) as c_int
    }

    fn gettid() -> c_int |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::gettid() } as u64) as c_int
    }
}

/// The kernel gives at most 256 bytes at once without interruption.
unsafe fn fill(buffer: *mut c_void, length: usize) -> isize {
    let mut done = 0;
    while done < length {
        let part = (length - done).min(256);
        // SAFETY: inside the caller's buffer.
        unsafe { real::getrandom(buffer.byte_add(done), part, 0) };
        done += part;
    }
    length as isize
}
