//! libc's `syscall`: futexes by hand (Rust's locks, C++20's atomic waits, function-local statics), and what else a program reads that way.

use crate::hooks::io::negated;
use crate::input::{self, Call};
use crate::log::Errno;
use crate::order::From;
use crate::state::Inside;
use crate::sys::{self, Nanos};
use crate::{serial, start, sync, without};
use core::ffi::{c_int, c_long, c_uint};
use core::sync::atomic::{AtomicU32, Ordering};
use libc::timespec;

/// A result as libc gives it: errors in `errno`.
fn result(result: isize) -> c_long {
    if (-4095..0).contains(&result) {
        Errno::set(-result as c_int);
        return -1;
    }
    result as c_long
}

/// # Safety
/// As the system call of that number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    if without::is_left_out("syscall") {
        // SAFETY: passed on.
        return result(unsafe { sys::call(number, [a, b, c, d, e, f]) });
    }
    // SAFETY: passed on.
    result(unsafe { call(number, [a, b, c, d, e, f], 0) })
}

/// A system call of the program's, by whichever way: the few that we know, or the kernel's.
///
/// # Safety
/// As the system call of that number.
pub unsafe fn call(number: c_long, arguments: [usize; 6], from: From) -> isize {
    let [a, b, c, ..] = arguments;
    match number {
        libc::SYS_futex => {
            if start::side().is_none()
                && let Some(inside) = Inside::enter()
                // SAFETY: passed on.
                && let Some(done) = unsafe { futex(&inside, arguments) }
            {
                return done;
            }
        }
        libc::SYS_getrandom => {
            // SAFETY: passed on.
            return negated(unsafe { super::random::get(a as *mut _, b, c as c_uint, from) });
        }
        libc::SYS_getpid | libc::SYS_getppid | libc::SYS_gettid => {
            // SAFETY: no arguments.
            return sync::value(from, || unsafe { sys::call(number, [0; 6]) } as u64) as isize;
        }
        libc::SYS_clock_gettime => {
            // SAFETY: the program's room for a time.
            let live = || unsafe { sys::call(number, arguments) };
            // SAFETY: as above.
            return unsafe { input::bytes(Call::reading(from), b as *mut u8, 16, |_| 16, live) };
        }
        _ => (),
    }
    // SAFETY: passed on.
    unsafe { sys::call(number, arguments) }
}

/// A futex operation in a serial run. `None` for those that we leave to the kernel.
unsafe fn futex(
    inside: &Inside,
    [word, operation, value, time, second, _]: [usize; 6],
) -> Option<isize> {
    let thread = inside.thread;
    let command = operation as c_int & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME);
    // SAFETY: a futex is a word of the program's; the kernel would read it, too.
    let current = || unsafe { AtomicU32::from_ptr(word as *mut u32) }.load(Ordering::SeqCst);
    Some(match command {
        libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET => {
            if current() != value as u32 {
                return Some(-(libc::EAGAIN as isize));
            }
            // SAFETY: the program's time, if it gave one.
            let time = unsafe { (time as *const timespec).as_ref() };
            let deadline = time.map(|time| deadline(operation as c_int, command, time));
            match serial::block(thread, word, 0, deadline) {
                serial::Ended::Woken => 0,
                serial::Ended::TimedOut => -(libc::ETIMEDOUT as isize),
            }
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => serial::wake_some(word, value),
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => {
            // Who would be moved to the second futex is woken instead; it looks again, as it must be prepared to.
            serial::wake_some(word, value.saturating_add(time))
        }
        libc::FUTEX_WAKE_OP => {
            let woken = serial::wake_some(word, value);
            woken + serial::wake_some(second, time)
        }
        _ => return None,
    })
}

fn deadline(operation: c_int, command: c_int, time: &timespec) -> Nanos {
    let now = sys::clock(libc::CLOCK_MONOTONIC);
    let time = sys::nanos(time);
    match (command, operation & libc::FUTEX_CLOCK_REALTIME) {
        (libc::FUTEX_WAIT, _) => now + time,
        (_, 0) => time,
        _ => now + time.saturating_sub(sys::clock(libc::CLOCK_REALTIME)),
    }
}
