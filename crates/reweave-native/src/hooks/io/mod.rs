//! Reading and writing what is not a file on disk: pipes, sockets, terminals, event counters. What comes in is recorded and fed back; what goes out to others than
//! the user happens only while recording. Files on disk are read and written again.

mod descriptors;
mod epoll;
mod ready;
mod sockets;
mod stdio;
mod streams;

pub use descriptors::one;

use crate::log::Errno;
use crate::{sys, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, Ordering};

/// What a descriptor stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Read or written again in a replay.
    Disk,
    /// Brings in what the recording has.
    Stream,
}

fn stat_of(number: c_int) -> Option<libc::stat> {
    // SAFETY: zeroes are a valid structure, which the kernel fills.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        let place = &raw mut stat as usize;
        let result = sys::call(libc::SYS_fstat, [number as usize, place, 0, 0, 0, 0]);
        (result >= 0).then_some(stat)
    }
}

pub fn descriptor(number: c_int) -> Descriptor {
    if tls::me().is_null() {
        // Nobody wants to know.
        return Descriptor::Disk;
    }
    let Some(stat) = stat_of(number) else {
        // An error that comes again.
        return Descriptor::Disk;
    };
    match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG if is_of_the_kernel(stat.st_dev) => Descriptor::Stream,
        libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK => Descriptor::Disk,
        _ => Descriptor::Stream,
    }
}

/// Files in `/proc` and `/sys` say something else each time.
fn is_of_the_kernel(device: u64) -> bool {
    static DEVICES: [AtomicU64; 2] = [const { AtomicU64::new(u64::MAX) }; 2];
    let known = |index: usize, path: &core::ffi::CStr| {
        let device = DEVICES[index].load(Ordering::Relaxed);
        if device != u64::MAX {
            return device;
        }
        // SAFETY: zeroes are a valid structure, which the kernel fills; the path is a terminated text.
        let found = unsafe {
            let mut stat: libc::stat = core::mem::zeroed();
            let place = &raw mut stat as usize;
            let result = sys::call(libc::SYS_stat, [path.as_ptr() as usize, place, 0, 0, 0, 0]);
            if result < 0 { 0 } else { stat.st_dev }
        };
        DEVICES[index].store(found, Ordering::Relaxed);
        found
    };
    device != 0 && (device == known(0, c"/proc/self") || device == known(1, c"/sys/kernel"))
}

/// Nobody else changes what we know of descriptors.
pub fn hold() -> impl Sized {
    (descriptors::hold(), epoll::hold(), crate::sent::hold())
}

/// The result of a function of libc's, as the kernel gave it.
pub fn negated(result: isize) -> isize {
    match result {
        -1 => -(Errno::get() as isize),
        result => result,
    }
}

/// The other way round.
pub fn as_errno(result: isize) -> isize {
    if result >= 0 {
        return result;
    }
    Errno::set(-result as c_int);
    -1
}
