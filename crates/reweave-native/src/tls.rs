//! The four words that every thread has of its own.
//!
//! They are in the initial-exec model, so that a callback reaches them with one load and no call: `thread_local!` in a shared library would ask
//! the dynamic linker each time. The library is loaded at the start of the program, so there is room for them.

use crate::thread::Thread;
use core::arch::{asm, global_asm};
use core::sync::atomic::AtomicI64;

/// Blocks to go until the slow path; a thread that nobody manages never gets there. Code into which the countdown was inlined (`hook.h`) reaches the word itself,
/// so it has to be exported, which assembler text cannot ask for; the name of its section makes it every thread's own. Nothing may touch it as the variable that it is
/// for the compiler.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".tdata")]
static reweave_countdown: AtomicI64 = AtomicI64::new(1 << 62);

// me: the thread's record while it runs the program's code, null while it is in ours or not recorded. leaving: 1 if it ends when it leaves our code.
global_asm!(
    r#"
    .section .tdata,"awT",@progbits
    .p2align 3
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
    .globl reweave_leaving
    .hidden reweave_leaving
    .type reweave_leaving,@object
    .size reweave_leaving,8
reweave_leaving:
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

/// Counts a block; whether it was the last. One instruction changes the word, so that a signal never sees it half changed.
#[inline]
pub fn count() -> bool {
    let over: u8;
    // SAFETY: changes this thread's own word.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_countdown@gottpoff]", "sub qword ptr fs:[{r}], 1", "setz {over}",
            r = out(reg) _, over = out(reg_byte) over, options(nostack));
    }
    over != 0
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

/// Whether the calling thread ends as soon as it leaves our code, because it was cancelled.
pub fn set_leaving(leaving: u64) {
    // SAFETY: stores into this thread's own word.
    unsafe {
        asm!("mov {r}, qword ptr [rip + reweave_leaving@gottpoff]", "mov qword ptr fs:[{r}], {v}",
            r = out(reg) _, v = in(reg) leaving, options(nostack));
    }
}
