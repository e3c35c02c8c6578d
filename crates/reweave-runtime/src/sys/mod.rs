//! Raw kernel calls: mapped files, futexes and barriers. The only unsafe code of this crate, each behind a safe face.

mod barrier;
mod futex;
mod map;

pub use barrier::everywhere as barrier_on_all_processors;
pub use futex::{wait as futex_wait, wake_all as futex_wake_all};
pub use map::{Mapping, allocate, place_mappings_from, preallocate};

/// Ends the process at once: no destructors, no exit handlers. For a replay that can no longer be trusted.
pub fn exit_now(code: i32) -> ! {
    // SAFETY: _exit has no preconditions.
    unsafe { libc::_exit(code) }
}

/// The calling thread's number in /proc/self/task.
pub fn thread_number() -> i32 {
    // SAFETY: gettid has no preconditions.
    unsafe { libc::gettid() }
}

pub fn yield_now() {
    // SAFETY: sched_yield has no preconditions.
    unsafe { libc::sched_yield() };
}
