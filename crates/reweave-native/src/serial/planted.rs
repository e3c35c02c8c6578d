//! An illegal instruction of one byte that stops a thread where the recording says.

use crate::start::out_of_the_way;
use crate::sys;
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::fs::File;
use std::os::fd::IntoRawFd;

/// `push es`: does not exist in 64-bit mode.
const ILLEGAL: u8 = 0x06;

/// Where it is; 0 nowhere.
static PLANTED: AtomicUsize = AtomicUsize::new(0);
/// /proc/self/mem, which writes where the program itself may not.
static MEMORY: AtomicI32 = AtomicI32::new(-1);

/// What belongs where it has been: address and byte. gdb may find our byte where it puts a breakpoint of its own, and put it back there long after.
static BEFORE: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
const PLACES: usize = 4096;

pub fn prepare() -> Result<(), String> {
    let memory = File::options()
        .read(true)
        .write(true)
        .open("/proc/self/mem")
        .map_err(|error| format!("cannot open /proc/self/mem: {error}"))?;
    MEMORY.store(out_of_the_way(memory).into_raw_fd(), Ordering::Relaxed);
    Ok(())
}

fn poke(address: usize, byte: u8) {
    // SAFETY: one byte of ours; the kernel checks the address.
    unsafe {
        sys::call(
            libc::SYS_pwrite64,
            [
                MEMORY.load(Ordering::Relaxed) as usize,
                &raw const byte as usize,
                1,
                address,
                0,
                0,
            ],
        )
    };
}

/// What was at an address before we first were there.
fn before(address: usize) -> Option<u8> {
    let entry = BEFORE[address % PLACES].load(Ordering::Relaxed);
    (entry >> 8 == address as u64).then_some(entry as u8)
}

/// The thread that runs is to stop at this instruction.
pub fn plant(address: usize) {
    if address == 0 || is_at(address) {
        return;
    }
    unplant();
    if before(address).is_none() {
        // SAFETY: code of a loaded module.
        let byte = unsafe { *(address as *const u8) };
        let entry = (address as u64) << 8 | u64::from(byte);
        BEFORE[address % PLACES].store(entry, Ordering::Relaxed);
    }
    PLANTED.store(address, Ordering::Relaxed);
    poke(address, ILLEGAL);
}

pub fn unplant() {
    let address = PLANTED.swap(0, Ordering::Relaxed);
    if let Some(byte) = before(address) {
        poke(address, byte);
    }
}

pub fn is_at(address: usize) -> bool {
    PLANTED.load(Ordering::Relaxed) == address
}

/// A thread came to an illegal instruction that should not be there any more. False if we never put one there.
pub fn put_back(address: usize) -> bool {
    let Some(byte) = before(address) else {
        return false;
    };
    poke(address, byte);
    true
}
