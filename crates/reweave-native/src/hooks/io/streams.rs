//! `read`, `write` and their relatives.

use super::{Descriptor, as_errno, descriptor, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::{real, sent};
use core::ffi::{c_int, c_void};
use libc::{iovec, mmsghdr, msghdr, size_t, ssize_t};

type Address = *mut c_void;

/// Bytes come in, to one place.
unsafe fn take(
    number: c_int,
    buffer: *mut c_void,
    length: usize,
    from: From,
    real: impl Fn() -> isize,
) -> isize {
    if descriptor(number) == Descriptor::Disk {
        return real();
    }
    let call = Call::receiving(from, number);
    // SAFETY: the program's buffer and its length.
    as_errno(unsafe {
        input::bytes(call, buffer.cast(), length, input::as_many, || {
            negated(real())
        })
    })
}

/// Bytes go out.
fn give(number: c_int, pieces: &[&[u8]], from: From, real: impl Fn() -> isize) -> isize {
    // What the user sees is written in a replay, too.
    if number == 1 || number == 2 || descriptor(number) == Descriptor::Disk {
        return real();
    }
    input::compare_output(from, number, pieces);
    let mut call = Call::telling(from, number);
    call.waits = true;
    call.restarts = true;
    let result = input::call(
        call,
        || negated(real()),
        |_| Vec::new(),
        |result, _| {
            sent::keep(number, pieces, input::as_many(result));
            result
        },
    );
    as_errno(result)
}

/// The program's list of places.
unsafe fn places<'a>(list: *const iovec, count: usize) -> &'a [iovec] {
    match list.is_null() || count > 1024 {
        // The kernel will not accept it either.
        true => &[],
        // SAFETY: as many as the program says.
        false => unsafe { core::slice::from_raw_parts(list, count) },
    }
}

unsafe fn pieces<'a>(list: &[iovec]) -> Vec<&'a [u8]> {
    list.iter()
        // SAFETY: the program's own bytes.
        .map(|piece| unsafe { input::slice(piece.iov_base.cast(), piece.iov_len) })
        .collect()
}

/// The first so many bytes of several places.
unsafe fn collect(list: &[iovec], count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count);
    // SAFETY: by the caller.
    for piece in unsafe { pieces(list) } {
        let rest = count - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(rest)]);
    }
    bytes
}

/// Spreads bytes over several places.
unsafe fn scatter(list: &[iovec], mut bytes: &[u8]) {
    for piece in list {
        let (now, later) = bytes.split_at(piece.iov_len.min(bytes.len()));
        // SAFETY: the program's own room, of which no more than there is.
        unsafe { core::ptr::copy_nonoverlapping(now.as_ptr(), piece.iov_base.cast(), now.len()) };
        bytes = later;
    }
}

/// Bytes come in, to several places.
unsafe fn take_vector(
    number: c_int,
    list: *const iovec,
    count: usize,
    from: From,
    real: impl Fn() -> isize,
) -> isize {
    if descriptor(number) == Descriptor::Disk {
        return real();
    }
    // SAFETY: the program's list.
    let list = unsafe { places(list, count) };
    as_errno(input::call(
        Call::receiving(from, number),
        || negated(real()),
        // SAFETY: what the call has filled.
        |result| unsafe { collect(list, input::as_many(result)) },
        |result, bytes| {
            // SAFETY: the program's own room.
            unsafe { scatter(list, bytes) };
            result
        },
    ))
}

/// `recvfrom`: bytes and the address of who sent them.
unsafe fn take_from(
    number: c_int,
    buffer: Address,
    length: usize,
    address: Address,
    address_length: *mut u32,
    from: From,
    real: impl Fn() -> isize,
) -> isize {
    if address.is_null() || address_length.is_null() {
        // SAFETY: passed on.
        return unsafe { take(number, buffer, length, from, real) };
    }
    // SAFETY: the program's own word.
    let room = unsafe { *address_length } as usize;
    let list = [
        iovec {
            iov_base: address_length.cast(),
            iov_len: 4,
        },
        iovec {
            iov_base: address,
            iov_len: room,
        },
        iovec {
            iov_base: buffer,
            iov_len: length,
        },
    ];
    let all = |result: isize| match result {
        0.. => 4 + room + result as usize,
        _ => 0,
    };
    as_errno(input::call(
        Call::receiving(from, number),
        || negated(real()),
        // SAFETY: what the call has filled.
        |result| unsafe { collect(&list, all(result)) },
        |result, bytes| {
            // SAFETY: the program's own room.
            unsafe { scatter(&list, bytes) };
            result
        },
    ))
}

/// Everything that `recvmsg` fills: lengths and flags, address, control data, and the bytes.
unsafe fn take_message(number: c_int, message: *mut msghdr, flags: c_int, from: From) -> isize {
    // SAFETY: passed on.
    let real = || unsafe { real::recvmsg(number, message, flags) };
    if descriptor(number) == Descriptor::Disk || message.is_null() {
        return real();
    }
    // SAFETY: the program's own message.
    let before = unsafe { *message };
    // SAFETY: the program's list.
    let data = unsafe { places(before.msg_iov, before.msg_iovlen) };
    let mut head = [0u64; 3];
    let room = |start: Address, length: usize| iovec {
        iov_base: start,
        iov_len: if start.is_null() { 0 } else { length },
    };
    let mut list = vec![
        room(head.as_mut_ptr().cast(), 24),
        room(before.msg_name, before.msg_namelen as usize),
        room(before.msg_control, before.msg_controllen),
    ];
    list.extend_from_slice(data);
    let fixed: usize = list[..3].iter().map(|place| place.iov_len).sum();
    let head = head.as_mut_ptr();
    as_errno(input::call(
        Call::receiving(from, number),
        || negated(real()),
        |result| {
            if result < 0 {
                return Vec::new();
            }
            // SAFETY: our three words, and what the call has filled.
            unsafe {
                let filled = &*message;
                *head = u64::from(filled.msg_namelen);
                *head.add(1) = filled.msg_controllen as u64;
                *head.add(2) = filled.msg_flags as u64;
                collect(&list, fixed + result as usize)
            }
        },
        |result, bytes| {
            if result >= 0 {
                // SAFETY: as above, the other way round.
                unsafe {
                    scatter(&list, bytes);
                    (*message).msg_namelen = *head as u32;
                    (*message).msg_controllen = *head.add(1) as usize;
                    (*message).msg_flags = *head.add(2) as c_int;
                    super::sockets::received_descriptors(message);
                }
            }
            result
        },
    ))
}

hooks! {
    fn read(number: c_int, buffer: *mut c_void, length: size_t) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take(number, buffer, length, from, || real::read(number, buffer, length)) }
    }

    fn __read_chk(number: c_int, buffer: *mut c_void, length: size_t, room: size_t) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take(number, buffer, length.min(room), from, || real::__read_chk(number, buffer, length, room)) }
    }

    fn recv(number: c_int, buffer: *mut c_void, length: size_t, flags: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take(number, buffer, length, from, || real::recv(number, buffer, length, flags)) }
    }

    fn __recv_chk(number: c_int, buffer: *mut c_void, length: size_t, room: size_t, flags: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take(number, buffer, length.min(room), from, || real::__recv_chk(number, buffer, length, room, flags)) }
    }

    fn recvfrom(number: c_int, buffer: *mut c_void, length: size_t, flags: c_int, address: Address, address_length: *mut u32) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take_from(number, buffer, length, address, address_length, from, || real::recvfrom(number, buffer, length, flags, address, address_length)) }
    }

    fn recvmsg(number: c_int, message: *mut msghdr, flags: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take_message(number, message, flags, from) }
    }

    fn readv(number: c_int, list: *const iovec, count: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        unsafe { take_vector(number, list, count.max(0) as usize, from, || real::readv(number, list, count)) }
    }

    fn write(number: c_int, buffer: *const c_void, length: size_t) -> ssize_t |from| {
        // SAFETY: the program's bytes; passed on.
        unsafe { give(number, &[input::slice(buffer.cast(), length)], from, || real::write(number, buffer, length)) }
    }

    fn send(number: c_int, buffer: *const c_void, length: size_t, flags: c_int) -> ssize_t |from| {
        // SAFETY: the program's bytes; passed on.
        unsafe { give(number, &[input::slice(buffer.cast(), length)], from, || real::send(number, buffer, length, flags)) }
    }

    fn sendto(number: c_int, buffer: *const c_void, length: size_t, flags: c_int, address: Address, address_length: u32) -> ssize_t |from| {
        // SAFETY: the program's bytes; passed on.
        unsafe { give(number, &[input::slice(buffer.cast(), length)], from, || real::sendto(number, buffer, length, flags, address, address_length)) }
    }

    fn sendmsg(number: c_int, message: *const msghdr, flags: c_int) -> ssize_t |from| {
        // SAFETY: passed on.
        let real = || unsafe { real::sendmsg(number, message, flags) };
        // SAFETY: the program's own message, list and bytes.
        match unsafe { message.as_ref() } {
            // SAFETY: as above.
            Some(message) => give(number, &unsafe { pieces(places(message.msg_iov, message.msg_iovlen)) }, from, real),
            None => real(),
        }
    }

    /// One after the other: a recording that says how many went out needs no more.
    fn sendmmsg(number: c_int, messages: *mut mmsghdr, count: u32, flags: c_int) -> c_int |from| {
        let mut done = 0;
        while done < count {
            // SAFETY: the program's own messages; passed on.
            let result = unsafe {
                let one = messages.add(done as usize);
                let list = places((*one).msg_hdr.msg_iov, (*one).msg_hdr.msg_iovlen);
                let result = give(number, &pieces(list), from, || real::sendmsg(number, &(*one).msg_hdr, flags));
                if result >= 0 {
                    (*one).msg_len = result as u32;
                }
                result
            };
            if result < 0 {
                return if done == 0 { -1 } else { done as c_int };
            }
            done += 1;
        }
        done as c_int
    }

    fn writev(number: c_int, list: *const iovec, count: c_int) -> ssize_t |from| {
        // SAFETY: the program's own list and bytes; passed on.
        unsafe { give(number, &pieces(places(list, count.max(0) as usize)), from, || real::writev(number, list, count)) }
    }

    /// What a file on disk has goes to others; the place in the file moves on in a replay as well.
    fn sendfile(out: c_int, file: c_int, offset: *mut i64, count: size_t) -> ssize_t |from| {
        // SAFETY: passed on.
        let real = || unsafe { real::sendfile(out, file, offset, count) };
        if descriptor(out) == Descriptor::Disk {
            return real();
        }
        let mut call = Call::telling(from, out);
        call.waits = true;
    call.restarts = true;
        as_errno(input::call(call, || negated(real()), |_| Vec::new(), |result, _| {
            // SAFETY: the program's own word, or the file's place.
            unsafe {
                match offset.as_mut() {
                    Some(offset) => *offset += result.max(0) as i64,
                    None => drop(libc::lseek64(file, result.max(0) as i64, libc::SEEK_CUR)),
                }
            }
            result
        }))
    }
}
