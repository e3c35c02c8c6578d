//! Sockets. A replay has none: where the program makes one it gets a socket that nobody is at the other end of, with the recorded number, and every call on it is answered by the recording.

use super::descriptors::place;
use super::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::{real, sent, sys};
use core::ffi::{c_int, c_ulong, c_void};
use libc::{msghdr, socklen_t};

type Address = *mut c_void;

/// Room for any address.
const LONGEST: usize = 128;

/// Something that is a socket, and nothing else.
fn stand_in(flags: c_int) -> isize {
    let kind = libc::SOCK_STREAM | flags & (libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC);
    // SAFETY: makes a descriptor.
    unsafe {
        sys::call(
            libc::SYS_socket,
            [libc::AF_UNIX as usize, kind as usize, 0, 0, 0, 0],
        )
    }
}

/// Gives the stand-in for a recorded socket its number.
fn stand_in_as(number: isize, flags: c_int) -> isize {
    let placed = place(&[number as c_int], |made| {
        let socket = stand_in(flags);
        made[0] = socket as c_int;
        socket
    });
    if placed < 0 { placed } else { number }
}

/// Descriptors that came with a message, which nobody sends in a replay.
///
/// # Safety
/// The message's control data are as the kernel left them.
pub unsafe fn received_descriptors(message: *mut msghdr) {
    // SAFETY: by the caller.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(found) = header.as_ref() {
            if (found.cmsg_level, found.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let count = (found.cmsg_len - libc::CMSG_LEN(0) as usize) / 4;
                let numbers = libc::CMSG_DATA(header).cast::<c_int>();
                for index in 0..count {
                    stand_in_as(numbers.add(index).read_unaligned() as isize, 0);
                }
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
}

/// A call that writes an address and its length.
unsafe fn with_address(
    call: Call,
    address: Address,
    length: *mut socklen_t,
    live: impl Fn(Address, *mut socklen_t) -> isize,
    feed: impl Fn(isize, &[u8]) -> isize,
) -> isize {
    // Whether or not the program wants it, it says who is at the other end.
    let mut own = [0u8; LONGEST];
    let mut own_length = LONGEST as socklen_t;
    let (own, own_length) = (own.as_mut_ptr(), &raw mut own_length);
    let show = |bytes: &[u8]| {
        if !address.is_null() && !length.is_null() {
            // SAFETY: the program's room, of which no more than there is; the length is the address's own.
            unsafe {
                let count = bytes.len().min(*length as usize);
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), address.cast(), count);
                *length = bytes.len() as socklen_t;
            }
        }
    };
    // SAFETY: our room, as far as the call has filled it.
    let filled = || unsafe { input::slice(own, (*own_length as usize).min(LONGEST)) };
    input::call(
        call,
        || {
            // SAFETY: our own word.
            unsafe { *own_length = LONGEST as socklen_t };
            let result = live(own.cast(), own_length);
            if result >= 0 {
                show(filled());
            }
            result
        },
        |result| match result {
            0.. => filled().to_vec(),
            _ => Vec::new(),
        },
        |result, bytes| {
            if result >= 0 {
                show(bytes);
            }
            feed(result, bytes)
        },
    )
}

unsafe fn accept_any(
    number: c_int,
    address: Address,
    length: *mut socklen_t,
    flags: c_int,
    from: From,
) -> c_int {
    // SAFETY: passed on.
    let live = |address, length| {
        // SAFETY: passed on.
        negated(unsafe { real::accept4(number, address, length, flags) } as isize)
    };
    let feed = |result: isize, bytes: &[u8]| {
        if result < 0 {
            return result;
        }
        sent::opened(result as c_int, bytes);
        stand_in_as(result, flags)
    };
    // SAFETY: passed on.
    as_errno(unsafe { with_address(Call::receiving(from, number), address, length, live, feed) })
        as c_int
}

hooks! {
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int |from| {
        // SAFETY: makes a descriptor.
        let live = || unsafe { sys::call(libc::SYS_socket, [domain as usize, kind as usize, protocol as usize, 0, 0, 0]) };
        let feed = |result: isize, _: &[u8]| if result < 0 { result } else { stand_in_as(result, kind) };
        as_errno(input::call(Call::asking(from, 0), live, |_| Vec::new(), feed)) as c_int
    }

    fn bind(number: c_int, address: Address, length: socklen_t) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(input::result(Call::telling(from, number), || unsafe {
            sys::call(libc::SYS_bind, [number as usize, address as usize, length as usize, 0, 0, 0])
        })) as c_int
    }

    fn listen(number: c_int, backlog: c_int) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(input::result(Call::telling(from, number), || unsafe {
            sys::call(libc::SYS_listen, [number as usize, backlog as usize, 0, 0, 0, 0])
        })) as c_int
    }

    fn shutdown(number: c_int, how: c_int) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(input::result(Call::telling(from, number), || unsafe {
            sys::call(libc::SYS_shutdown, [number as usize, how as usize, 0, 0, 0, 0])
        })) as c_int
    }

    fn connect(number: c_int, address: Address, length: socklen_t) -> c_int |from| {
        let mut call = Call::telling(from, number);
        call.waits = true;
        let feed = |result, _: &[u8]| {
            // SAFETY: the program's own address.
            sent::opened(number, unsafe { input::slice(address.cast(), length as usize) });
            result
        };
        // SAFETY: passed on.
        let live = || negated(unsafe { real::connect(number, address, length) } as isize);
        as_errno(input::call(call, live, |_| Vec::new(), feed)) as c_int
    }

    fn accept(number: c_int, address: Address, length: *mut socklen_t) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { accept_any(number, address, length, 0, from) }
    }

    fn accept4(number: c_int, address: Address, length: *mut socklen_t, flags: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { accept_any(number, address, length, flags, from) }
    }

    fn getsockname(number: c_int, address: Address, length: *mut socklen_t) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(unsafe { with_address(Call::asking(from, number), address, length, |address, length| {
            sys::call(libc::SYS_getsockname, [number as usize, address as usize, length as usize, 0, 0, 0])
        }, |result, _| result) }) as c_int
    }

    fn getpeername(number: c_int, address: Address, length: *mut socklen_t) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(unsafe { with_address(Call::asking(from, number), address, length, |address, length| {
            sys::call(libc::SYS_getpeername, [number as usize, address as usize, length as usize, 0, 0, 0])
        }, |result, _| result) }) as c_int
    }

    fn setsockopt(number: c_int, level: c_int, name: c_int, value: *const c_void, length: socklen_t) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(input::result(Call::telling(from, number), || unsafe {
            sys::call(libc::SYS_setsockopt, [number as usize, level as usize, name as usize, value as usize, length as usize, 0])
        })) as c_int
    }

    fn getsockopt(number: c_int, level: c_int, name: c_int, value: *mut c_void, length: *mut socklen_t) -> c_int |from| {
        // SAFETY: passed on.
        let live = || unsafe {
            sys::call(libc::SYS_getsockopt, [number as usize, level as usize, name as usize, value as usize, length as usize, 0])
        };
        let keep = |result| match result {
            // SAFETY: as much as the call says that it has written.
            0 => unsafe { input::slice(value.cast(), *length as usize) }.to_vec(),
            _ => Vec::new(),
        };
        let feed = |result, bytes: &[u8]| {
            if result == 0 {
                // SAFETY: the program's room, of which no more than there is.
                unsafe {
                    core::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast(), bytes.len().min(*length as usize));
                    *length = bytes.len() as socklen_t;
                }
            }
            result
        };
        as_errno(input::call(Call::asking(from, number), live, keep, feed)) as c_int
    }

    /// Only what is asked of sockets and terminals, and how much waits to be read.
    fn ioctl(number: c_int, request: c_ulong, argument: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        let live = || unsafe { sys::call(libc::SYS_ioctl, [number as usize, request as usize, argument as usize, 0, 0, 0]) };
        let length = match request {
            libc::FIONREAD => 4,
            libc::TIOCGWINSZ => 8,
            libc::TCGETS => 36,
            // Those that ask about interfaces.
            0x8910..=0x8970 if request != 0x8912 => 40,
            _ => return as_errno(live()) as c_int,
        };
        // SAFETY: so long is the answer to these.
        as_errno(unsafe { input::bytes(Call::asking(from, number), argument.cast(), length, |_| length, live) }) as c_int
    }
}
