//! Reading and writing what is not a file on disk: pipes, sockets, terminals, event counters. What comes in is recorded and fed back; what goes out to others than
//! the user happens only while recording. Files on disk are read and written again.

use crate::log::Errno;
use crate::order::From;
use crate::sync::{self, Input};
use crate::{real, sys, tls};
use core::ffi::{c_int, c_long, c_void};
use libc::{nfds_t, size_t, ssize_t, timeval};

/// What a descriptor stands for.
enum Descriptor {
    /// Read or written again in a replay.
    Disk,
    /// Brings in what the recording has; the number is the same for both ends of a pipe.
    Stream(usize),
}

fn descriptor(number: c_int) -> Descriptor {
    if tls::me().is_null() {
        // Nobody wants to know.
        return Descriptor::Disk;
    }
    // SAFETY: zeroes are a valid structure, which the kernel fills.
    let (failed, stat) = unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let place = &raw mut stat as usize;
        let result = sys::call(libc::SYS_fstat, [number as usize, place, 0, 0, 0, 0]);
        (result < 0, stat)
    };
    match stat.st_mode & libc::S_IFMT {
        // An error that comes again.
        _ if failed => Descriptor::Disk,
        libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK => Descriptor::Disk,
        libc::S_IFIFO => Descriptor::Stream(stat.st_ino as usize | 1 << 63),
        _ => Descriptor::Stream(1 << 63),
    }
}

fn negated(result: isize) -> isize {
    match result {
        -1 => -(Errno::get() as isize),
        result => result,
    }
}

fn as_errno(result: isize) -> isize {
    if result >= 0 {
        return result;
    }
    Errno::set(-result as c_int);
    -1
}

unsafe fn take(
    number: c_int,
    buffer: *mut c_void,
    length: usize,
    from: From,
    real: impl Fn() -> isize,
) -> isize {
    let Descriptor::Stream(object) = descriptor(number) else {
        return real();
    };
    let input = Input {
        from,
        descriptor: number as u32,
        after: Some(object),
        blocking: true,
    };
    // SAFETY: the program's buffer and its length.
    as_errno(unsafe { sync::input(input, buffer.cast(), length, || negated(real())) })
}

unsafe fn give(number: c_int, from: From, real: impl Fn() -> isize) -> isize {
    let Descriptor::Stream(object) = descriptor(number) else {
        return real();
    };
    // What the user sees is written in a replay, too.
    if number == 1 || number == 2 {
        return real();
    }
    as_errno(sync::output(
        number as u32,
        object,
        from,
        || negated(real()),
    ))
}

/// Waits for descriptors; what the call writes is in `buffer`.
unsafe fn wait(from: From, buffer: *mut c_void, length: usize, real: impl Fn() -> isize) -> isize {
    let input = Input {
        from,
        descriptor: 0,
        after: None,
        blocking: true,
    };
    // The number that is returned counts descriptors, not bytes: all of the buffer is kept.
    // SAFETY: the program's buffer and its length.
    as_errno(unsafe {
        sync::input_of(input, buffer.cast(), length, |_| length, || negated(real()))
    })
}

hooks! {
    fn read(number: c_int, buffer: *mut c_void, length: size_t) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take(number, buffer, length, from, || real::read(number, buffer, length)) }
    }

    fn recv(number: c_int, buffer: *mut c_void, length: size_t, flags: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take(number, buffer, length, from, || real::recv(number, buffer, length, flags)) }
    }

    fn write(number: c_int, buffer: *const c_void, length: size_t) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { give(number, from, || real::write(number, buffer, length)) }
    }

    fn send(number: c_int, buffer: *const c_void, length: size_t, flags: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { give(number, from, || real::send(number, buffer, length, flags)) }
    }

    fn poll(descriptors: *mut c_void, count: nfds_t, timeout: c_int) -> c_int |from| {
        let length = count as usize * core::mem::size_of::<libc::pollfd>();
        // SAFETY: passed on.
        unsafe { wait(from, descriptors, length, || real::poll(descriptors, count as c_long, timeout) as isize) as c_int }
    }

    fn epoll_wait(number: c_int, events: *mut c_void, most: c_int, timeout: c_int) -> c_int |from| {
        let size = core::mem::size_of::<libc::epoll_event>();
        let input = Input { from, descriptor: number as u32, after: None, blocking: true };
        // SAFETY: passed on.
        let live = || negated(unsafe { real::epoll_wait(number, events, most, timeout) } as isize);
        // SAFETY: passed on.
        as_errno(unsafe { sync::input_of(input, events.cast(), most.max(0) as usize * size, |result| result.max(0) as usize * size, live) }) as c_int
    }

    fn select(highest: c_int, reading: *mut c_void, writing: *mut c_void, other: *mut c_void, time: *mut timeval) -> c_int |from| {
        // Three sets in one piece, because an input is one.
        let mut sets = [[0u8; 128]; 3];
        let pointers = [reading, writing, other];
        let live = || {
            // SAFETY: passed on.
            negated(unsafe { real::select(highest, reading, writing, other, time) } as isize)
        };
        let place = (&raw mut sets).cast::<u8>();
        let copy = |from_program: bool| {
            for (index, set) in pointers.iter().enumerate().filter(|(_, set)| !set.is_null()) {
                // SAFETY: sets of the program's are as large as libc's; ours are as large.
                unsafe {
                    let own = place.add(index * 128);
                    match from_program {
                        true => core::ptr::copy_nonoverlapping(set.cast(), own, 128),
                        false => core::ptr::copy_nonoverlapping(own, set.cast(), 128),
                    }
                }
            }
        };
        let input = Input { from, descriptor: 0, after: None, blocking: true };
        let live = || {
            let result = live();
            copy(true);
            result
        };
        // SAFETY: three sets of ours.
        let result = unsafe { sync::input_of(input, place, 384, |_| 384, live) };
        copy(false);
        as_errno(result) as c_int
    }
}
