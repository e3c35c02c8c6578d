//! Waiting for a 32-bit word to change.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleeps while `word` is `value`, at most `limit`. May return for no reason.
pub fn wait(word: &AtomicU32, value: u32, limit: Duration) {
    let timeout = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos() as i32),
    };
    // SAFETY: the word outlives the call, and the kernel only reads it and the timeout.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            value,
            &timeout,
        );
    }
}

pub fn wake_all(word: &AtomicU32) {
    // SAFETY: the kernel uses the address only as a key.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            i32::MAX,
        );
    }
}
