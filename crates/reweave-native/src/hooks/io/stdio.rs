//! Files that libc reads and writes by itself, in ways that cannot be stood in front of. They are opened by our `open`, so that their numbers are in order, and those
//! that say something else each time (`/dev/urandom`, `/proc`) are read through functions of ours.

use super::descriptors::{closing, opened};
use super::{is_of_the_kernel, negated, stat_of};
use crate::input::{self, Call};
use crate::order::From;
use crate::{real, sys, tls};
use core::ffi::{CStr, c_char, c_int, c_void};
use libc::FILE;

/// What `fopen` does before it makes a stream.
fn flags_of(mode: &[u8]) -> Option<c_int> {
    let update = mode.contains(&b'+');
    let mut flags = match (mode.first()?, update) {
        (b'r', false) => libc::O_RDONLY,
        (b'r', true) => libc::O_RDWR,
        (b'w', update) => {
            libc::O_CREAT | libc::O_TRUNC | if update { libc::O_RDWR } else { libc::O_WRONLY }
        }
        (b'a', update) => {
            libc::O_CREAT | libc::O_APPEND | if update { libc::O_RDWR } else { libc::O_WRONLY }
        }
        _ => return None,
    };
    let letters = mode.split(|&byte| byte == b',').next().unwrap_or(mode);
    if letters.contains(&b'e') {
        flags |= libc::O_CLOEXEC;
    }
    if letters.contains(&b'x') {
        flags |= libc::O_EXCL;
    }
    Some(flags)
}

/// Whether its bytes are recorded, and not the file read again.
fn is_fed_back(number: c_int) -> bool {
    stat_of(number).is_some_and(|stat| match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG => is_of_the_kernel(stat.st_dev),
        // The random numbers of the kernel: devices 1:8 and 1:9.
        libc::S_IFCHR => [libc::makedev(1, 8), libc::makedev(1, 9)].contains(&stat.st_rdev),
        _ => false,
    })
}

unsafe extern "C" fn read_cookie(cookie: *mut c_void, buffer: *mut c_char, length: usize) -> isize {
    let number = cookie.addr() as c_int;
    // SAFETY: libc's buffer, which has that room.
    let live = || unsafe {
        sys::call(
            libc::SYS_read,
            [number as usize, buffer as usize, length, 0, 0, 0],
        )
    };
    // SAFETY: as above.
    super::as_errno(unsafe {
        input::bytes(
            Call::waiting(0, number),
            buffer.cast(),
            length,
            input::as_many,
            live,
        )
    })
}

unsafe extern "C" fn close_cookie(cookie: *mut c_void) -> c_int {
    let number = cookie.addr() as c_int;
    // SAFETY: the cookie's own descriptor.
    closing(0, number, || unsafe {
        sys::call(libc::SYS_close, [number as usize, 0, 0, 0, 0, 0])
    });
    0
}

/// As in libc's `cookie_io_functions_t`: read, write, seek, close.
#[repr(C)]
struct Cookie(
    unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize,
    usize,
    usize,
    unsafe extern "C" fn(*mut c_void) -> c_int,
);

unsafe extern "C" {
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: Cookie) -> *mut FILE;
}

unsafe fn open_file(
    path: *const c_char,
    mode: *const c_char,
    from: From,
    real: impl Fn() -> *mut FILE,
) -> *mut FILE {
    if tls::me().is_null() || path.is_null() || mode.is_null() {
        return real();
    }
    // SAFETY: the program's own texts.
    let (Some(flags), mode_text) = (unsafe {
        (
            flags_of(CStr::from_ptr(mode).to_bytes()),
            CStr::from_ptr(mode),
        )
    }) else {
        return real();
    };
    // SAFETY: passed on.
    let number = unsafe {
        opened(from, path, || {
            negated(real::open64(path, flags, 0o666) as isize)
        })
    };
    if number < 0 {
        return core::ptr::null_mut();
    }
    if mode_text.to_bytes().first() == Some(&b'r') && is_fed_back(number) {
        // SAFETY: functions of the right types; the cookie is a number.
        return unsafe {
            fopencookie(
                number as usize as *mut c_void,
                mode,
                Cookie(read_cookie, 0, 0, close_cookie),
            )
        };
    }
    // SAFETY: a descriptor that we have just opened.
    unsafe { libc::fdopen(number, mode) }
}

hooks! {
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE |from| {
        // SAFETY: passed on.
        unsafe { open_file(path, mode, from, || real::fopen(path, mode)) }
    }

    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE |from| {
        // SAFETY: passed on.
        unsafe { open_file(path, mode, from, || real::fopen64(path, mode)) }
    }

    fn fclose(file: *mut FILE) -> c_int |from| {
        // SAFETY: passed on.
        let real = || unsafe { real::fclose(file) };
        // SAFETY: the program's own stream.
        match file.is_null() || tls::me().is_null() || unsafe { libc::fileno(file) } < 0 {
            // A stream without a descriptor closes itself, if it is one of ours.
            true => real(),
            false => closing(from, 0, || real() as isize) as c_int,
        }
    }
}
