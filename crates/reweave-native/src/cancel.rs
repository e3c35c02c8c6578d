//! Cancellation in serial runs. A thread that another one cancels is told at the next function that may wait, or leaves the one it waits in.
//!
//! libc would unwind the stack from inside that function, through code of ours. Instead our function returns, and what stands in front of it (`hooks::hook`) sees that the thread
//! is to leave and calls `pthread_exit`, as if the program had called that instead: nothing of ours is on the stack then.

use crate::state::{Inside, Mode};
use crate::thread::{State, Thread};
use crate::{real, signals, sys, tls};
use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering;

/// Somebody wants the thread to end.
const WANTED: u32 = 1;
/// It does not want to.
const REFUSED: u32 = 2;
/// It is in a function that may wait.
const AT_A_POINT: u32 = 4;
/// The function is to return because of it.
const LEAVES: u32 = 8;

/// The functions at which a thread may be cancelled.
const POINTS: &[&str] = &[
    "accept",
    "accept4",
    "clock_nanosleep",
    "cnd_timedwait",
    "cnd_wait",
    "connect",
    "epoll_pwait",
    "epoll_pwait2",
    "epoll_wait",
    "nanosleep",
    "pause",
    "poll",
    "ppoll",
    "pselect",
    "pthread_cond_clockwait",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_join",
    "pthread_timedjoin_np",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "sem_wait",
    "send",
    "sendmsg",
    "sendto",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "thrd_join",
    "usleep",
    "wait",
    "wait3",
    "wait4",
    "waitpid",
    "write",
    "writev",
];

/// Whether a function is one of them, for the compiler.
pub const fn is_point(name: &str) -> bool {
    let mut index = 0;
    while index < POINTS.len() {
        if same(POINTS[index].as_bytes(), name.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// The thread comes to such a function. True if it is to leave at once.
pub fn enter() -> bool {
    // SAFETY: records are never freed.
    let Some(thread) = (unsafe { tls::me().as_ref() }).filter(|_| Mode::now().is_serial()) else {
        return false;
    };
    if is_due(thread) {
        leave_soon(thread);
        return true;
    }
    thread.cancel.fetch_or(AT_A_POINT, Ordering::Relaxed);
    false
}

/// The function returns.
pub fn exit() {
    // SAFETY: records are never freed.
    let Some(thread) = (unsafe { tls::me().as_ref() }) else {
        return;
    };
    let was = thread.cancel.fetch_and(!AT_A_POINT, Ordering::Relaxed);
    if was & LEAVES != 0 {
        leave_soon(thread);
    }
}

fn leave_soon(thread: &Thread) {
    // What its handlers do on the way is not interrupted any more.
    thread.cancel.store(REFUSED, Ordering::Relaxed);
    tls::set_leaving(1);
}

/// Ends the thread. Nothing of ours is on the stack but this.
pub extern "C-unwind" fn leave() -> ! {
    unsafe extern "C-unwind" {
        fn pthread_exit(result: *mut c_void) -> !;
    }
    const CANCELED: usize = usize::MAX;
    tls::set_leaving(0);
    // SAFETY: the thread is in the program's code, as far as anybody can tell.
    unsafe { pthread_exit(CANCELED as *mut c_void) }
}

fn is_due(thread: &Thread) -> bool {
    thread.cancel.load(Ordering::Relaxed) & (WANTED | REFUSED) == WANTED
}

/// Whether a wait of the thread is over because it is to leave.
pub fn ends_wait(thread: &Thread) -> bool {
    thread.cancel.load(Ordering::Relaxed) & LEAVES != 0
}

/// A call to the kernel was interrupted: perhaps for this.
pub fn interrupted(thread: &Thread) {
    if is_due(thread) && thread.cancel.load(Ordering::Relaxed) & AT_A_POINT != 0 {
        thread.cancel.fetch_or(LEAVES, Ordering::Relaxed);
    }
}

/// Whether the thread, which is in a call to the kernel, has to be interrupted again: a signal may come just before the call.
pub fn is_awaited(thread: &Thread) -> bool {
    is_due(thread) && thread.state() == State::Outside
}

/// Takes the mutex of a condition again, which a thread does even if it is to leave.
pub fn not_now<R>(thread: &Thread, work: impl FnOnce() -> R) -> R {
    let was = thread
        .cancel
        .fetch_and(!(AT_A_POINT | LEAVES), Ordering::Relaxed);
    let result = work();
    thread
        .cancel
        .fetch_or(was & (AT_A_POINT | LEAVES), Ordering::Relaxed);
    result
}

/// Another thread, or the thread itself, is to end.
pub fn want(target: &'static Thread) {
    let was = target.cancel.fetch_or(WANTED, Ordering::Relaxed);
    if was & REFUSED != 0 || was & AT_A_POINT == 0 {
        return;
    }
    match target.state() {
        State::Blocked => {
            target.cancel.fetch_or(LEAVES, Ordering::Relaxed);
            target.set_state(State::Runnable);
        }
        State::Outside if Mode::now() != Mode::SerialReplay => {
            let kernel = target.kernel.load(Ordering::Relaxed) as usize;
            let process = sys::process_number() as usize;
            let signal = signals::REMINDER as usize;
            // SAFETY: only a signal to a thread of this process, which handles it.
            unsafe { sys::call(libc::SYS_tgkill, [process, kernel, signal, 0, 0, 0]) };
        }
        _ => (),
    }
}

/// What the thread itself wants from now on.
pub fn set_state(state: c_int, old: *mut c_int) -> c_int {
    // SAFETY: passed on.
    let result = unsafe { real::pthread_setcancelstate(state, old) };
    if let Some(inside) = Inside::enter()
        && result == 0
    {
        match state {
            0 => inside.thread.cancel.fetch_and(!REFUSED, Ordering::Relaxed),
            _ => inside.thread.cancel.fetch_or(REFUSED, Ordering::Relaxed),
        };
    }
    result
}
