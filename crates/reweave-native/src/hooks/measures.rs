//! What else a program can ask about itself and the machine, and will not hear again.

use crate::hooks::io::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::{processors, real, sync, sys};
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

/// A set of processors, as the program is to know it; the result is an error's number negated.
unsafe fn kept_set(from: From, set: *mut c_void, length: usize, live: impl Fn() -> isize) -> isize {
    let live = || {
        let result = live();
        if result == 0 {
            // SAFETY: by the caller; the call has just filled it.
            unsafe { processors::show_own(set.cast(), length) };
        }
        result
    };
    let filled = |result| if result == 0 { length } else { 0 };
    // SAFETY: by the caller.
    unsafe { input::bytes(Call::asking(from, 0), set.cast(), length, filled, live) }
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

    fn get_nprocs() -> c_int |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::get_nprocs() } as u64) as c_int
    }

    fn get_nprocs_conf() -> c_int |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::get_nprocs_conf() } as u64) as c_int
    }

    fn get_phys_pages() -> c_long |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::get_phys_pages() } as u64) as c_long
    }

    fn get_avphys_pages() -> c_long |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::get_avphys_pages() } as u64) as c_long
    }

    /// Most of what it tells is the same on every machine that can replay; this is not.
    fn sysconf(name: c_int) -> c_long |from| {
        // SAFETY: passed on.
        let ask = || unsafe { real::sysconf(name) };
        match name {
            libc::_SC_NPROCESSORS_CONF | libc::_SC_NPROCESSORS_ONLN | libc::_SC_PHYS_PAGES | libc::_SC_AVPHYS_PAGES => {
                sync::value(from, || ask() as u64) as c_long
            }
            _ => ask(),
        }
    }

    fn sched_getcpu() -> c_int |from| {
        // SAFETY: no arguments.
        sync::value(from, || unsafe { real::sched_getcpu() } as u64) as c_int
    }

    fn sched_getaffinity(process: c_int, length: usize, set: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { as_errno(kept_set(from, set, length, || negated(real::sched_getaffinity(process, length, set) as isize))) as c_int }
    }

    fn pthread_getaffinity_np(thread: libc::pthread_t, length: usize, set: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        let live = || -(unsafe { real::pthread_getaffinity_np(thread, length, set) } as isize);
        // SAFETY: passed on.
        -unsafe { kept_set(from, set, length, live) } as c_int
    }

    fn sched_setaffinity(process: c_int, length: usize, set: *const c_void) -> c_int |from| {
        as_errno(input::result(Call::telling(from, 0), || {
            processors::let_go();
            // SAFETY: passed on.
            negated(unsafe { real::sched_setaffinity(process, length, set) } as isize)
        })) as c_int
    }

    fn pthread_setaffinity_np(thread: libc::pthread_t, length: usize, set: *const c_void) -> c_int |from| {
        -input::result(Call::telling(from, 0), || {
            processors::let_go();
            // SAFETY: passed on.
            -(unsafe { real::pthread_setaffinity_np(thread, length, set) } as isize)
        }) as c_int
    }
}
