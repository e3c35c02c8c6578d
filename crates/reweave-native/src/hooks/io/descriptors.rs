//! Where descriptors come from and go to. Threads that open and close at the same time get their numbers by chance, so a replay gives each the number it had.

use super::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::{From, Side};
use crate::state::Mode;
use crate::{real, sent, start, sys, tls};
use core::ffi::{CStr, c_char, c_int, c_uint};
use std::sync::{Mutex, PoisonError};

/// The numbers that a call gave out.
pub type Numbers<'a> = &'a [c_int];

/// Held while a descriptor that was made gets its recorded number: others must not see it, or replace it, in between.
static PLACING: Mutex<()> = Mutex::new(());

pub fn hold() -> impl Sized {
    PLACING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often somebody else's descriptor is waited for that libc opened, unseen, under a number that is to be used.
const PATIENCE: u32 = 2000;

/// Makes descriptors in a replay, and gives them these numbers. `make` is the call that makes them.
pub fn place(wanted: Numbers<'_>, make: impl FnOnce(&mut [c_int]) -> isize) -> isize {
    let guard = PLACING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut made = [-1; 2];
    let result = make(&mut made[..wanted.len()]);
    if result < 0 || made[..wanted.len()] == *wanted {
        return result;
    }
    // Out of the way first: one may have got the number of another.
    let made: Vec<c_int> = made[..wanted.len()].iter().map(|&one| lift(one)).collect();
    for (&one, &number) in made.iter().zip(wanted) {
        if one != number {
            settle(one, number);
        }
    }
    drop(guard);
    result
}

/// The same descriptor under a high number, with its flag.
fn lift(number: c_int) -> c_int {
    match copy_at(number, 800) {
        high @ 0.. => {
            give_up(number);
            high
        }
        _ => number,
    }
}

/// Moves a descriptor of ours to the number that it had. Libc opens files, unseen, whenever it likes: as long as one of those has the number, it is waited for, and it is
/// never replaced, for whoever opened it would then close ours.
fn settle(one: c_int, number: c_int) {
    for _ in 0..PATIENCE {
        let got = copy_at(one, number);
        if got == number {
            give_up(one);
            return;
        }
        if got >= 0 {
            give_up(got);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    if let Some(Side::Replay(replaying)) = start::side()
        // SAFETY: records are never freed.
        && let Some(thread) = unsafe { tls::record().as_ref() }
    {
        let what = format!("descriptor {number} was free, but is in use");
        replaying.diverged(thread, what);
    }
}

/// Another number for a descriptor of ours, the first from `least` that is free, with the flag that the descriptor has.
fn copy_at(one: c_int, least: c_int) -> c_int {
    // SAFETY: asks, and makes a new descriptor of one that we have made.
    unsafe {
        let flags = sys::call(
            libc::SYS_fcntl,
            [one as usize, libc::F_GETFD as usize, 0, 0, 0, 0],
        );
        let command = match flags & 1 {
            0 => libc::F_DUPFD,
            _ => libc::F_DUPFD_CLOEXEC,
        };
        sys::call(
            libc::SYS_fcntl,
            [one as usize, command as usize, least as usize, 0, 0, 0],
        ) as c_int
    }
}

fn give_up(ours: c_int) {
    // SAFETY: a descriptor that we have made.
    unsafe { sys::call(libc::SYS_close, [ours as usize, 0, 0, 0, 0, 0]) };
}

/// A call that makes one descriptor, again in a replay.
pub fn one(from: From, make: impl Fn() -> isize) -> c_int {
    let feed = |result: isize, _: &[u8]| match result {
        0.. => match place(&[result as c_int], |made| {
            let number = make();
            made[0] = number as c_int;
            number
        }) {
            error @ ..0 => error,
            _ => result,
        },
        error => error,
    };
    as_errno(input::call(
        Call::asking(from, 0),
        &make,
        |_| Vec::new(),
        feed,
    )) as c_int
}

/// A call that opens a file. One of the kernel's that was there in the recording may be gone, as that of a process is; what is read from it comes from the recording, so
/// that in a replay another file of the kernel's will do.
pub unsafe fn opened(from: From, path: *const c_char, open: impl Fn() -> isize) -> c_int {
    let replays = matches!(Mode::now(), Mode::OrderReplay | Mode::SerialReplay);
    // SAFETY: by the caller, the program's own text.
    let of_the_kernel = replays && !path.is_null() && unsafe { is_below_proc_or_sys(path) };
    one(from, || match open() {
        // SAFETY: opens a file that is always there.
        ..0 if of_the_kernel => unsafe {
            let path = c"/proc/self/status".as_ptr() as usize;
            sys::call(libc::SYS_open, [path, libc::O_RDONLY as usize, 0, 0, 0, 0])
        },
        result => result,
    })
}

unsafe fn is_below_proc_or_sys(path: *const c_char) -> bool {
    // SAFETY: by the caller.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    path.starts_with(b"/proc/") || path.starts_with(b"/sys/")
}

/// A call that makes two.
unsafe fn two(from: From, numbers: *mut c_int, make: impl Fn(*mut c_int) -> isize) -> c_int {
    let keep = |result: isize| match result {
        // SAFETY: the two numbers that the call has written.
        0 => unsafe { input::slice(numbers.cast(), 8) }.to_vec(),
        _ => Vec::new(),
    };
    let feed = |result: isize, bytes: &[u8]| {
        if let Ok([a, b, c, d, e, f, g, h]) = <[u8; 8]>::try_from(bytes) {
            let wanted = [
                c_int::from_le_bytes([a, b, c, d]),
                c_int::from_le_bytes([e, f, g, h]),
            ];
            let placed = place(&wanted, |made| make(made.as_mut_ptr()));
            if placed < 0 {
                return placed;
            }
            // SAFETY: where the program wants them.
            unsafe { *numbers.cast::<[c_int; 2]>() = wanted };
        }
        result
    };
    as_errno(input::call(
        Call::asking(from, 0),
        || make(numbers),
        keep,
        feed,
    )) as c_int
}

/// The program may close whatever it finds, but not the file that we write to.
fn is_ours(number: c_int) -> bool {
    number >= 0 && start::own_descriptor() == number && !tls::me().is_null()
}

unsafe fn close_range_but_ours(first: c_uint, last: c_uint, flags: c_int) -> isize {
    // SAFETY: as `close_range`.
    let range = |first: c_uint, last: c_uint| unsafe {
        sys::call(
            libc::SYS_close_range,
            [first as usize, last as usize, flags as usize, 0, 0, 0],
        )
    };
    let ours = start::own_descriptor();
    match c_uint::try_from(ours) {
        Ok(ours) if (first..=last).contains(&ours) => {
            if first < ours {
                range(first, ours - 1);
            }
            if ours < last {
                range(ours + 1, last)
            } else {
                0
            }
        }
        _ => range(first, last),
    }
}

/// Closing with order: whoever gets the number next comes after.
pub fn closing(from: From, number: c_int, close: impl Fn() -> isize) -> isize {
    let feed = |result: isize, _: &[u8]| {
        sent::closed(number);
        close();
        result
    };
    input::call(Call::telling(from, number), &close, |_| Vec::new(), feed)
}

hooks! {
    fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { opened(from, path, || negated(real::open(path, flags, mode) as isize)) }
    }

    fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int |from| {
        // SAFETY: passed on; the same function.
        unsafe { opened(from, path, || negated(real::open64(path, flags, mode) as isize)) }
    }

    fn __open_2(path: *const c_char, flags: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { opened(from, path, || negated(real::__open_2(path, flags) as isize)) }
    }

    fn __open64_2(path: *const c_char, flags: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { opened(from, path, || negated(real::__open64_2(path, flags) as isize)) }
    }

    fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { opened(from, path, || negated(real::openat(folder, path, flags, mode) as isize)) }
    }

    fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { opened(from, path, || negated(real::openat64(folder, path, flags, mode) as isize)) }
    }

    fn creat(path: *const c_char, mode: c_uint) -> c_int |from| {
        // SAFETY: passed on.
        one(from, || negated(unsafe { real::creat(path, mode) } as isize))
    }

    fn close(number: c_int) -> c_int |from| {
        if is_ours(number) {
            return as_errno(-(libc::EBADF as isize)) as c_int;
        }
        // SAFETY: passed on.
        as_errno(closing(from, number, || negated(unsafe { real::close(number) } as isize))) as c_int
    }

    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(closing(from, 0, || unsafe { close_range_but_ours(first, last, flags) })) as c_int
    }

    fn closefrom(first: c_int) -> c_int |from| {
        // SAFETY: passed on.
        closing(from, 0, || unsafe { close_range_but_ours(first.max(0) as c_uint, c_uint::MAX, 0) });
        0
    }

    fn dup(number: c_int) -> c_int |from| {
        // SAFETY: makes another number for a descriptor.
        one(from, || unsafe { sys::call(libc::SYS_dup, [number as usize, 0, 0, 0, 0, 0]) })
    }

    fn dup2(number: c_int, to: c_int) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(closing(from, to, || unsafe { sys::call(libc::SYS_dup2, [number as usize, to as usize, 0, 0, 0, 0]) })) as c_int
    }

    fn dup3(number: c_int, to: c_int, flags: c_int) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(closing(from, to, || unsafe { sys::call(libc::SYS_dup3, [number as usize, to as usize, flags as usize, 0, 0, 0]) })) as c_int
    }

    fn fcntl(number: c_int, command: c_int, argument: usize) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { control(number, command, argument, from) }
    }

    fn fcntl64(number: c_int, command: c_int, argument: usize) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { control(number, command, argument, from) }
    }

    fn pipe(numbers: *mut c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { two(from, numbers, |numbers| sys::call(libc::SYS_pipe, [numbers as usize, 0, 0, 0, 0, 0])) }
    }

    fn pipe2(numbers: *mut c_int, flags: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { two(from, numbers, |numbers| sys::call(libc::SYS_pipe2, [numbers as usize, flags as usize, 0, 0, 0, 0])) }
    }

    fn socketpair(domain: c_int, kind: c_int, protocol: c_int, numbers: *mut c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { two(from, numbers, |numbers| sys::call(libc::SYS_socketpair, [domain as usize, kind as usize, protocol as usize, numbers as usize, 0, 0])) }
    }

    fn eventfd(value: c_uint, flags: c_int) -> c_int |from| {
        // SAFETY: makes a descriptor.
        one(from, || unsafe { sys::call(libc::SYS_eventfd2, [value as usize, flags as usize, 0, 0, 0, 0]) })
    }

    fn epoll_create(size: c_int) -> c_int |from| {
        // SAFETY: makes a descriptor.
        one(from, || unsafe { sys::call(libc::SYS_epoll_create, [size as usize, 0, 0, 0, 0, 0]) })
    }

    fn epoll_create1(flags: c_int) -> c_int |from| {
        // SAFETY: makes a descriptor.
        one(from, || unsafe { sys::call(libc::SYS_epoll_create1, [flags as usize, 0, 0, 0, 0, 0]) })
    }

    fn timerfd_create(clock: c_int, flags: c_int) -> c_int |from| {
        // SAFETY: makes a descriptor.
        one(from, || unsafe { sys::call(libc::SYS_timerfd_create, [clock as usize, flags as usize, 0, 0, 0, 0]) })
    }

    fn inotify_init1(flags: c_int) -> c_int |from| {
        // SAFETY: makes a descriptor.
        one(from, || unsafe { sys::call(libc::SYS_inotify_init1, [flags as usize, 0, 0, 0, 0, 0]) })
    }

    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int |from| {
        // SAFETY: passed on.
        one(from, || unsafe { sys::call(libc::SYS_memfd_create, [name as usize, flags as usize, 0, 0, 0, 0]) })
    }
}

unsafe fn control(number: c_int, command: c_int, argument: usize, from: From) -> c_int {
    // SAFETY: passed on.
    let real = || unsafe { real::fcntl64(number, command, argument) };
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => one(from, || negated(real() as isize)),
        _ => real(),
    }
}
