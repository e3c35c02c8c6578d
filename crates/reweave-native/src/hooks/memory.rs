//! Memory that other processes can change: nothing of that is recorded, and the recording says so.

use crate::hooks::io::{as_errno, negated};
use crate::machine::note;
use crate::{real, sys, tls};
use core::ffi::{c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

/// Whether there is memory that children would share.
static SHARED: AtomicU32 = AtomicU32::new(0);
static SAID_FILE: AtomicU32 = AtomicU32::new(0);
static SAID_CHILD: AtomicU32 = AtomicU32::new(0);
static SAID_SEGMENT: AtomicU32 = AtomicU32::new(0);

/// A child is about to be made.
pub fn child_comes() {
    if SHARED.load(Ordering::Relaxed) != 0 {
        note(&SAID_CHILD, || {
            "the program shares memory with a child; what one writes and the other reads there is not ordered".to_owned()
        });
    }
}

unsafe fn map(
    address: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    let arguments = [
        address as usize,
        length,
        protection as usize,
        flags as usize,
        file as usize,
        offset as usize,
    ];
    // SAFETY: passed on.
    let result = unsafe { sys::call(libc::SYS_mmap, arguments) };
    let shared = flags & libc::MAP_TYPE == libc::MAP_SHARED
        || flags & libc::MAP_TYPE == libc::MAP_SHARED_VALIDATE;
    if shared && result >= 0 && !tls::me().is_null() {
        if flags & libc::MAP_ANONYMOUS != 0 {
            SHARED.store(1, Ordering::Relaxed);
        } else {
            note(&SAID_FILE, || {
                let name = std::fs::read_link(format!("/proc/self/fd/{file}"));
                let name =
                    name.map_or_else(|_| "a file".to_owned(), |name| name.display().to_string());
                format!(
                    "the program shares memory with whoever maps {name}, too; what others write there is not recorded"
                )
            });
        }
    }
    as_errno(result) as *mut c_void
}

fn said_segment() {
    if !tls::me().is_null() {
        note(&SAID_SEGMENT, || {
            "the program uses shared memory segments; what other processes write there is not recorded".to_owned()
        });
    }
}

hooks! {
    fn mmap(address: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void |from| {
        // SAFETY: passed on.
        unsafe { map(address, length, protection, flags, file, offset) }
    }

    fn mmap64(address: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void |from| {
        // SAFETY: passed on.
        unsafe { map(address, length, protection, flags, file, offset) }
    }

    fn shm_open(name: *const c_char, flags: c_int, mode: c_uint) -> c_int |from| {
        said_segment();
        // SAFETY: passed on.
        crate::hooks::io::one(from, || negated(unsafe { real::shm_open(name, flags, mode) } as isize))
    }

    fn shmat(segment: c_int, address: *const c_void, flags: c_int) -> *mut c_void |from| {
        said_segment();
        // SAFETY: passed on.
        unsafe { real::shmat(segment, address, flags) }
    }
}
