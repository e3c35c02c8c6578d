//! `pthread_cancel` and what threads say to it. In sync order libc does it.

use crate::state::{Inside, Mode};
use crate::thread::{State, Thread};
use crate::{cancel, real, serial, signals};
use core::ffi::c_int;
use core::sync::atomic::AtomicUsize;
use libc::pthread_t;

hooks! {
    fn pthread_cancel(handle: pthread_t) -> c_int |from| {
        let known = Mode::now().is_serial().then(|| (Inside::enter(), Thread::by_handle(handle)));
        let Some((Some(inside), Some(target))) = known else {
            // SAFETY: passed on.
            return unsafe { real::pthread_cancel(handle) };
        };
        signals::due(inside.thread);
        if target.state() != State::Ended {
            serial::hold(|| cancel::want(target));
        }
        serial::pass(inside.thread, from);
        0
    }

    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int |from| {
        cancel::set_state(state, old)
    }
}

/// Behind it libc's own, which in a serial run has nothing to do. That may unwind the stack, so nothing of ours is on it.
///
/// # Safety
/// As the function of that name.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_testcancel() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "sub rsp, 8",
        ".cfi_def_cfa_offset 16",
        "call {test}",
        "add rsp, 8",
        ".cfi_def_cfa_offset 8",
        "mov rcx, qword ptr [rip + reweave_leaving@gottpoff]",
        "cmp qword ptr fs:[rcx], 0",
        "jne {leave}",
        "jmp rax",
        ".cfi_endproc",
        test = sym test,
        leave = sym cancel::leave
    )
}

/// Whether the thread is to leave, which a word of its own says then; and libc's function.
extern "C" fn test() -> usize {
    static REAL: AtomicUsize = AtomicUsize::new(0);
    if !cancel::enter() {
        cancel::exit();
    }
    real::find(&REAL, c"pthread_testcancel")
}
