//! The three words that every thread has of its own.
//!
//! They are in the initial-exec model, so that a callback reaches them with one load and no call: `thread_local!` in a shared library would ask
//! the dynamic linker each time. The library is loaded at the start of the program, so there is room for them.

use crate::thread::Thread;
use core::arch::{asm, global_asm};

// countdown: blocks to go until the slow path; a thread that nobody manages never gets there.
// me: the thread's record while it runs the program's code, null while it is in ours or not recorded.
global_asm!(
    r#"
    .section .tdata,"awT",@progbits
    .p2align 3
    .globl reweave_countdown
    .hidden reweave_countdown
    .type reweave_countdown,@object
    .size reweave_countdown,8
reweave_countdown:
    .quad 0x4000000000000000
    .globl reweave_me
    .hidden reweave_me
    .type reweave_me,@object
    .size reweave_me,8
reweave_me:
    .quad 0
    .globl reweave_record
    .hidden reweave_record
    .type reweave_record,@object
    .size reweave_record,8
reweave_record:
    .quad 0
    .text
"#
);

/// Address of the calling thread's countdown.
#[inline]
pub fn countdown() -> *mut i64 {
    let address: *mut i64;
    // SAFETY: only computes an address: the thread's own base is at fs:0.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_countdown@gottpoff]", "add {r}, qword ptr fs:[0]",
            r = out(reg) address, options(pure, nomem, nostack));
    }
    address
}

/// The calling thread's record, while it runs the program's code.
#[inline]
pub fn me() -> *mut Thread {
    let me: *mut Thread;
    // SAFETY: loads this thread's own word.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_me@gottpoff]", "mov {r}, qword ptr fs:[{r}]",
            r = out(reg) me, options(readonly, nostack));
    }
    me
}

#[inline]
pub fn set_me(me: *mut Thread) {
    // SAFETY: stores into this thread's own word.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_me@gottpoff]", "mov qword ptr fs:[{r}], {v}",
            r = out(reg) _, v = in(reg) me, options(nostack));
    }
}

/// The calling thread's record, wherever it is; null if it is not recorded.
#[inline]
pub fn record() -> *mut Thread {
    let record: *mut Thread;
    // SAFETY: loads this thread's own word.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_record@gottpoff]", "mov {r}, qword ptr fs:[{r}]",
            r = out(reg) record, options(readonly, nostack));
    }
    record
}

pub fn set_record(record: *mut Thread) {
    // SAFETY: stores into this thread's own word.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_record@gottpoff]", "mov qword ptr fs:[{r}], {v}",
            r = out(reg) _, v = in(reg) record, options(nostack));
    }
}
