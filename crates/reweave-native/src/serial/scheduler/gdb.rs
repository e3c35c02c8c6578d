//! What gdb reads, writes and stops at. It touches memory only, at a stop: calling functions of a program from gdb fails on some machines and would run its threads.

use super::super::schedule::Switch;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

/// Stream of the thread that has the processor; 0 nobody.
#[unsafe(no_mangle)]
pub static reweave_current: AtomicU32 = AtomicU32::new(0);
/// Switches made so far.
#[unsafe(no_mangle)]
pub static reweave_position: AtomicU64 = AtomicU64::new(0);
/// Stream of the thread that is to go on at the next opportunity; 0 as the recording says.
#[unsafe(no_mangle)]
pub static reweave_force: AtomicU32 = AtomicU32::new(0);
/// Where gdb wants to stop: thread and block count; 0 nowhere.
#[unsafe(no_mangle)]
pub static reweave_stop_thread: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)]
pub static reweave_stop_blocks: AtomicU64 = AtomicU64::new(0);
/// The number of switches at which gdb wants to stop; 0 none.
#[unsafe(no_mangle)]
pub static reweave_stop_position: AtomicU64 = AtomicU64::new(0);
/// The recorded switches, and their number.
#[unsafe(no_mangle)]
pub static reweave_schedule: AtomicPtr<Switch> = AtomicPtr::new(core::ptr::null_mut());
#[unsafe(no_mangle)]
pub static reweave_schedule_length: AtomicU64 = AtomicU64::new(0);

/// gdb stops here at every switch.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_switch(from: u32, to: u32) {
    core::hint::black_box((from, to));
}

/// gdb stops here when as many switches have been made as it asked for.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_position() {
    core::hint::black_box(());
}

/// gdb stops here when a thread has come to the block it asked for.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_block() {
    core::hint::black_box(());
}

/// gdb stops here when a replay left its recording.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn reweave_on_divergence() {
    core::hint::black_box(());
}
