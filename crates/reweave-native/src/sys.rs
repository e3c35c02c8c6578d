//! System calls without libc, whose own wrappers the program (or we) may have replaced. They leave `errno` alone.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

/// # Safety
/// As the system call of that number.
#[inline]
pub unsafe fn call(number: i64, arguments: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the kernel's calling convention; what the call does is the caller's business.
    unsafe {
        asm!("syscall",
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0], in("rsi") arguments[1], in("rdx") arguments[2],
            in("r10") arguments[3], in("r8") arguments[4], in("r9") arguments[5],
            out("rcx") _, out("r11") _);
    }
    result
}

/// Nanoseconds; also a point in time of the monotonic clock.
pub type Nanos = u64;

pub const SECOND: Nanos = 1_000_000_000;

/// Sleeps while `word` is `value`, at most until `deadline` of the monotonic clock. May return for no reason.
pub fn futex_wait(word: &AtomicU32, value: u32, deadline: Option<Nanos>) {
    let time = deadline.map(timespec);
    let pointer = time.as_ref().map_or(0, |time| time as *const _ as usize);
    // WAIT_BITSET takes a point in time, plain WAIT a length.
    let operation = libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word and the time outlive the call; the kernel only reads them.
    unsafe {
        call(
            libc::SYS_futex,
            [
                word.as_ptr() as usize,
                operation as usize,
                value as usize,
                pointer,
                0,
                u32::MAX as usize,
            ],
        )
    };
}

pub fn futex_wake(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the kernel uses the address only as a key.
    unsafe {
        call(
            libc::SYS_futex,
            [word.as_ptr() as usize, operation as usize, 1, 0, 0, 0],
        )
    };
}

/// Waits until the kernel has cleared the word in which it keeps a thread's number, that is, until the thread is gone.
///
/// # Safety
/// The word must stay mapped.
pub unsafe fn wait_until_gone(word: *const AtomicU32) {
    loop {
        // SAFETY: the caller promises that it is there.
        let number = unsafe { (*word).load(Ordering::SeqCst) };
        if number == 0 {
            return;
        }
        // SAFETY: as above. The kernel wakes this one as a shared futex.
        unsafe {
            call(
                libc::SYS_futex,
                [
                    word as usize,
                    libc::FUTEX_WAIT as usize,
                    number as usize,
                    0,
                    0,
                    0,
                ],
            )
        };
    }
}

pub fn timespec(time: Nanos) -> libc::timespec {
    libc::timespec {
        tv_sec: (time / SECOND) as i64,
        tv_nsec: (time % SECOND) as i64,
    }
}

pub fn nanos(time: &libc::timespec) -> Nanos {
    (time.tv_sec.max(0) as u64)
        .saturating_mul(SECOND)
        .saturating_add(time.tv_nsec.max(0) as u64)
}

pub fn clock(clock: i32) -> Nanos {
    let mut time = timespec(0);
    // SAFETY: the kernel writes the time into ours.
    unsafe {
        call(
            libc::SYS_clock_gettime,
            [clock as usize, &raw mut time as usize, 0, 0, 0, 0],
        )
    };
    nanos(&time)
}

pub fn thread_number() -> i32 {
    // SAFETY: no arguments.
    unsafe { call(libc::SYS_gettid, [0; 6]) as i32 }
}

pub fn process_number() -> i32 {
    // SAFETY: no arguments.
    unsafe { call(libc::SYS_getpid, [0; 6]) as i32 }
}

pub fn yield_now() {
    // SAFETY: no arguments.
    unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Faults, as a set. Some are our doing, and the kernel ends a process that blocks one that comes.
pub const FAULTS: u64 = 1 << (libc::SIGSEGV - 1)
    | 1 << (libc::SIGSYS - 1)
    | 1 << (libc::SIGILL - 1)
    | 1 << (libc::SIGTRAP - 1);

/// Keeps these signals, as in the kernel's sets, from the calling thread, but never faults; the set before.
pub fn block_signals(set: u64) -> u64 {
    change_signals(libc::SIG_BLOCK, set & !FAULTS)
}

pub fn set_signals(set: u64) {
    change_signals(libc::SIG_SETMASK, set);
}

pub fn change_signals(how: i32, set: u64) -> u64 {
    let mut before = 0u64;
    // SAFETY: two sets of the kernel's size.
    unsafe {
        call(
            libc::SYS_rt_sigprocmask,
            [
                how as usize,
                &raw const set as usize,
                &raw mut before as usize,
                8,
                0,
                0,
            ],
        )
    };
    before
}

/// Ends the process at once.
pub fn exit_now(code: i32) -> ! {
    loop {
        // SAFETY: does not return.
        unsafe { call(libc::SYS_exit_group, [code as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Sleeps until the process ends.
pub fn sleep_for_ever() -> ! {
    let never = AtomicU32::new(0);
    loop {
        futex_wait(&never, 0, None);
    }
}

/// A message to the user on standard error, for when nothing else is left.
pub fn say(text: &str) {
    // SAFETY: the bytes are the text's.
    unsafe {
        call(
            libc::SYS_write,
            [2, text.as_ptr() as usize, text.len(), 0, 0, 0],
        )
    };
}
