//! The time, and sleeping.

use crate::hooks::signals;
use crate::input::{self, Call, Order};
use crate::log::Errno;
use crate::order::From;
use crate::state::Inside;
use crate::sys::{self, Nanos, SECOND};
use crate::{machine, real, serial, start, sync};
use core::ffi::{c_int, c_uint, c_void};
use libc::{timespec, timeval};

/// Marks a value as an error's number.
const ERROR: u64 = 1 << 63;

/// Sleeps for a time: `real` does, says with which error it ended, and leaves in `rest` what was left of the time.
fn pause(from: From, time: Nanos, rest: *mut timespec, real: impl Fn() -> c_int) -> c_int {
    const LENGTH: usize = core::mem::size_of::<timespec>();
    let Some(inside) = Inside::enter() else {
        return real();
    };
    // A signal may end the sleep; a thread that lined up for the processor would not notice.
    if start::side().is_none() && signals::handled() == 0 {
        let deadline = sys::clock(libc::CLOCK_MONOTONIC) + time.max(1);
        serial::sleep(inside.thread, from, deadline);
        return 0;
    }
    drop(inside);
    // The order is what counts: in a replay nobody waits for time to pass.
    let call = Call {
        order: Order::Free,
        ..Call::waiting(from, 0)
    };
    let left = |result: isize| match result {
        0 => 0,
        _ => LENGTH,
    };
    let live = || real() as isize;
    match rest.is_null() {
        true => input::result(call, live) as c_int,
        // SAFETY: where the program wants it.
        false => unsafe { input::bytes(call, rest.cast(), LENGTH, left, live) as c_int },
    }
}

fn errno_of(result: c_int) -> c_int {
    match result {
        0 => 0,
        _ => Errno::get(),
    }
}

fn as_errno(error: c_int) -> c_int {
    if error == 0 {
        return 0;
    }
    Errno::set(error);
    -1
}

/// libc reads the processor's clock, which is slow where that is kept from the program.
unsafe fn read_clock(clock: c_int, now: *mut timespec) -> c_int {
    // SAFETY: passed on.
    unsafe {
        match machine::faults_are_ours() {
            true => as_errno(-sys::call(
                libc::SYS_clock_gettime,
                [clock as usize, now as usize, 0, 0, 0, 0],
            ) as c_int),
            false => real::clock_gettime(clock, now),
        }
    }
}

hooks! {
    fn clock_gettime(clock: c_int, time: *mut timespec) -> c_int |from| {
        let read = || {
            let mut now = sys::timespec(0);
            // SAFETY: into a place of ours.
            match errno_of(unsafe { read_clock(clock, &mut now) }) {
                0 => sys::nanos(&now),
                error => ERROR | error as u64,
            }
        };
        let value = sync::value(from, read);
        if value & ERROR != 0 {
            return as_errno((value & !ERROR) as c_int);
        }
        // SAFETY: where the program wants it.
        unsafe { *time = sys::timespec(value) };
        0
    }

    fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int |from| {
        let read = || {
            let mut now = timeval { tv_sec: 0, tv_usec: 0 };
            // SAFETY: into a place of ours; the time zone goes where the program wants it.
            unsafe { real::gettimeofday(&mut now, zone) };
            now.tv_sec as u64 * 1_000_000 + now.tv_usec as u64
        };
        let value = sync::value(from, read);
        if !time.is_null() {
            // SAFETY: where the program wants it.
            unsafe { *time = timeval { tv_sec: (value / 1_000_000) as i64, tv_usec: (value % 1_000_000) as i64 } };
        }
        0
    }

    fn time(time: *mut i64) -> i64 |from| {
        // SAFETY: no pointer is passed.
        let now = sync::value(from, || unsafe { real::time(core::ptr::null_mut()) } as u64) as i64;
        if !time.is_null() {
            // SAFETY: where the program wants it.
            unsafe { *time = now };
        }
        now
    }

    fn nanosleep(time: *const timespec, rest: *mut timespec) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(pause(from, sys::nanos(unsafe { &*time }), rest, || errno_of(unsafe { real::nanosleep(time, rest) })))
    }

    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const timespec, rest: *mut timespec) -> c_int |from| {
        // SAFETY: the program passes a time.
        let length = match (flags & libc::TIMER_ABSTIME, sys::nanos(unsafe { &*time })) {
            (0, length) => length,
            (_, end) => end.saturating_sub(sys::clock(clock)),
        };
        // SAFETY: passed on.
        pause(from, length, rest, || unsafe { real::clock_nanosleep(clock, flags, time, rest) })
    }

    fn usleep(time: c_uint) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(pause(from, u64::from(time) * 1000, core::ptr::null_mut(), || errno_of(unsafe { real::usleep(time) })))
    }

    fn sleep(seconds: c_uint) -> c_uint |from| {
        // SAFETY: passed on.
        pause(from, u64::from(seconds) * SECOND, core::ptr::null_mut(), || unsafe { real::sleep(seconds) } as c_int) as c_uint
    }

    fn sched_yield() -> c_int |from| {
        match Inside::enter() {
            Some(inside) if start::side().is_none() => {
                serial::yield_now(inside.thread, from);
                0
            }
            // SAFETY: no arguments.
            _ => unsafe { real::sched_yield() },
        }
    }
}
