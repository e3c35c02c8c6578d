//! What else a program can ask about itself and the machine, and will not hear again.

use crate::hooks::io::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::{real, sync, sys};
use core::ffi::{c_int, c_long, c_void};

unsafe fn filled(
    from: From,
    buffer: *mut c_void,
    length: usize,
    live: impl Fn() -> isize,
) -> isize {
    // SAFETY: by the caller.
    as_errno(unsafe { input::bytes(Call::reading(from), buffer.cast(), length, |_| length, live) })
}

hooks! {
    fn getrusage(who: c_int, usage: *mut libc::rusage) -> c_int |from| {
        let length = core::mem::size_of::<libc::rusage>();
        // SAFETY: passed on.
        unsafe { filled(from, usage.cast(), length, || sys::call(libc::SYS_getrusage, [who as usize, usage as usize, 0, 0, 0, 0])) as c_int }
    }

    fn times(times: *mut libc::tms) -> c_long |from| {
        let length = if times.is_null() { 0 } else { core::mem::size_of::<libc::tms>() };
        // SAFETY: passed on.
        unsafe { filled(from, times.cast(), length, || sys::call(libc::SYS_times, [times as usize, 0, 0, 0, 0, 0])) as c_long }
    }

    fn clock() -> c_long |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::clock() } as u64) as c_long
    }

    fn sysinfo(info: *mut libc::sysinfo) -> c_int |from| {
        let length = core::mem::size_of::<libc::sysinfo>();
        // SAFETY: passed on.
        unsafe { filled(from, info.cast(), length, || sys::call(libc::SYS_sysinfo, [info as usize, 0, 0, 0, 0, 0])) as c_int }
    }

    fn getloadavg(averages: *mut f64, count: c_int) -> c_int |from| {
        let length = count.clamp(0, 3) as usize * 8;
        // SAFETY: passed on.
        unsafe { filled(from, averages.cast(), length, || negated(real::getloadavg(averages, count) as isize)) as c_int }
    }

    fn sched_getcpu() -> c_int |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::sched_getcpu() } as u64) as c_int
    }
}
