//! `sigaction` and its relatives: which signals the program handles, and those that it sends to itself. See `crate::signals` for what becomes of them.

use crate::hooks::io::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::state::Mode;
use crate::{machine, real, signals, sys, tls};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use libc::{sigaction as KernelAction, siginfo_t, timespec};

/// One bit for each signal, as in the kernel's sets.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// What the program wants to happen.
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: usize,
    pub flags: c_int,
    pub mask: u64,
}

struct Slot {
    handler: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

static ACTIONS: [Slot; 65] = [const {
    Slot {
        handler: AtomicUsize::new(libc::SIG_DFL),
        flags: AtomicI32::new(0),
        mask: AtomicU64::new(0),
    }
}; 65];

/// Those that a thread does not run handlers of as long as it does not have the processor.
pub fn handled() -> u64 {
    HANDLED.load(Ordering::Relaxed)
}

pub fn action(signal: c_int) -> Action {
    let slot = &ACTIONS[signal as usize % 65];
    Action {
        handler: slot.handler.load(Ordering::Relaxed),
        flags: slot.flags.load(Ordering::Relaxed),
        mask: slot.mask.load(Ordering::Relaxed),
    }
}

fn set(signal: c_int, action: Action) {
    let slot = &ACTIONS[signal as usize];
    slot.handler.store(action.handler, Ordering::Relaxed);
    slot.flags.store(action.flags, Ordering::Relaxed);
    slot.mask.store(action.mask, Ordering::Relaxed);
    let bit = 1 << (signal - 1);
    match is_function(action.handler) {
        true => HANDLED.fetch_or(bit, Ordering::Relaxed),
        false => HANDLED.fetch_and(!bit, Ordering::Relaxed),
    };
}

fn is_function(handler: usize) -> bool {
    handler != libc::SIG_DFL && handler != libc::SIG_IGN
}

/// The default is back, after a handler for once.
pub fn reset(signal: c_int) {
    set(
        signal,
        Action {
            handler: libc::SIG_DFL,
            flags: 0,
            mask: 0,
        },
    );
    // SAFETY: the default is a valid action.
    unsafe { real::signal(signal, libc::SIG_DFL as *mut c_void) };
}

/// A fault that is the program's own: its handler, or its end.
pub fn pass_on(signal: c_int, information: *mut siginfo_t, context: *mut c_void) {
    let Action { handler, flags, .. } = action(signal);
    if !is_function(handler) {
        // It comes again, and the program dies of it.
        // SAFETY: the default is a valid action.
        unsafe { real::signal(signal, libc::SIG_DFL as *mut c_void) };
    } else if flags & libc::SA_SIGINFO != 0 {
        // SAFETY: the flag says that it has this type.
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
            unsafe { core::mem::transmute(handler) };
        handler(signal, information, context);
    } else {
        // SAFETY: without the flag it has this one.
        let handler: extern "C" fn(c_int) = unsafe { core::mem::transmute(handler) };
        handler(signal);
    }
}

/// Faults of which some are our doing: the program's handler is only kept, for the others.
fn is_kept(signal: c_int) -> bool {
    signal == libc::SIGSEGV && machine::faults_are_ours() && !tls::me().is_null()
}

unsafe fn keep(signal: c_int, new: *const KernelAction, old: *mut KernelAction) -> c_int {
    let before = action(signal);
    // SAFETY: the program's own action, if it gave one, and its room for the old one.
    unsafe {
        if let Some(new) = new.as_ref() {
            let (handler, flags) = (new.sa_sigaction, new.sa_flags);
            let slot = &ACTIONS[signal as usize];
            slot.handler.store(handler, Ordering::Relaxed);
            slot.flags.store(flags, Ordering::Relaxed);
        }
        if let Some(old) = old.as_mut() {
            *old = core::mem::zeroed();
            old.sa_sigaction = before.handler;
            old.sa_flags = before.flags;
        }
    }
    0
}

/// Whether we stand in front of handlers of this signal. Faults are a thread's own doing, and `abort` ends in its signal.
fn is_ours(signal: c_int) -> bool {
    let faults = [
        libc::SIGILL,
        libc::SIGTRAP,
        libc::SIGSEGV,
        libc::SIGBUS,
        libc::SIGFPE,
        libc::SIGSYS,
        libc::SIGABRT,
        libc::SIGKILL,
        libc::SIGSTOP,
    ];
    (1..=64).contains(&signal)
        && !faults.contains(&signal)
        && !tls::me().is_null()
        && Mode::now() != Mode::Off
}

/// Sets what happens; the old one if the program wants to know.
unsafe fn change(signal: c_int, new: Option<&KernelAction>, old: *mut KernelAction) -> c_int {
    let before = action(signal);
    let mut theirs = KernelAction {
        sa_sigaction: 0,
        // SAFETY: an empty set.
        sa_mask: unsafe { core::mem::zeroed() },
        sa_flags: 0,
        sa_restorer: None,
    };
    let result = match new {
        Some(new) if is_function(new.sa_sigaction) => {
            let mut ours = *new;
            ours.sa_sigaction = signals::arrived as *const () as usize;
            ours.sa_flags = libc::SA_SIGINFO | new.sa_flags & !libc::SA_RESETHAND;
            // SAFETY: a set of libc's is at least as long as the kernel's.
            unsafe {
                let mask = (&raw mut ours.sa_mask).cast::<u64>();
                *mask = (*mask | signals::OUR_SIGNALS) & !sys::FAULTS;
            };
            if Mode::now().is_serial() {
                // A call that is interrupted lets its thread come back; whether it goes on is then for us to say.
                ours.sa_flags &= !libc::SA_RESTART;
            }
            // SAFETY: passed on, with a handler of ours.
            unsafe { real::sigaction(signal, &ours, &mut theirs) }
        }
        // SAFETY: passed on.
        new => unsafe {
            let new = new.map_or(core::ptr::null(), core::ptr::from_ref);
            real::sigaction(signal, new, &mut theirs)
        },
    };
    if result != 0 {
        return result;
    }
    if let Some(new) = new {
        // SAFETY: a set of the program's is at least as long as the kernel's.
        let mask = unsafe { *(&raw const new.sa_mask).cast::<u64>() };
        let (handler, flags) = (new.sa_sigaction, new.sa_flags);
        set(
            signal,
            Action {
                handler,
                flags,
                mask,
            },
        );
    }
    // SAFETY: where the program wants it.
    if let Some(old) = unsafe { old.as_mut() } {
        *old = theirs;
        if is_function(before.handler) {
            old.sa_sigaction = before.handler;
            old.sa_flags = before.flags;
        }
    }
    0
}

/// A signal for this process, or one of its threads. In a replay what handlers are to do comes from the recording.
fn send(from: From, signal: c_int, to_us: bool, live: impl Fn() -> isize) -> isize {
    let handled = is_function(action(signal.clamp(0, 64)).handler);
    let feed = |result, _: &[u8]| {
        if to_us && !handled && signal != 0 {
            // Perhaps the program dies of it, as it did.
            live();
        }
        result
    };
    let mut call = Call::telling(from, 0);
    call.catches = true;
    input::call(call, &live, |_| Vec::new(), feed)
}

/// A program that blocks all signals means others than those by which we stop it.
unsafe fn change_mask(
    how: c_int,
    set: *const c_void,
    change: impl Fn(*const c_void) -> c_int,
) -> c_int {
    if set.is_null() || how == libc::SIG_UNBLOCK || tls::me().is_null() || Mode::now() == Mode::Off
    {
        return change(set);
    }
    // As long as libc's.
    let mut ours = [0u64; 16];
    // SAFETY: the kernel looks at the first eight bytes only, and so do we.
    ours[0] = unsafe { *set.cast::<u64>() } & !sys::FAULTS;
    change(ours.as_ptr().cast())
}

/// Waits for a signal that is blocked.
unsafe fn await_signal(
    from: From,
    information: *mut siginfo_t,
    live: impl Fn(*mut siginfo_t) -> isize,
) -> c_int {
    let mut own = [0u8; 128];
    let own = own.as_mut_ptr();
    let show = |bytes: &[u8]| {
        if !information.is_null() {
            // SAFETY: the program's room is as large as libc's structure.
            unsafe {
                core::ptr::copy_nonoverlapping(
                    bytes.as_ptr(),
                    information.cast(),
                    bytes.len().min(128),
                )
            };
        }
    };
    let keep = |result: isize| match result {
        // SAFETY: our own bytes.
        0.. => unsafe { input::slice(own, 128) }.to_vec(),
        _ => Vec::new(),
    };
    let call = || {
        let result = live(own.cast());
        show(&keep(result));
        result
    };
    as_errno(input::call(
        Call::waiting(from, 0),
        call,
        keep,
        |result, bytes| {
            show(bytes);
            result
        },
    )) as c_int
}

unsafe fn timed_wait(
    set: *const c_void,
    information: *mut siginfo_t,
    time: *const timespec,
) -> isize {
    // SAFETY: passed on; the kernel's sets are eight bytes long.
    unsafe {
        sys::call(
            libc::SYS_rt_sigtimedwait,
            [set as usize, information as usize, time as usize, 8, 0, 0],
        )
    }
}

hooks! {
    fn sigaction(signal: c_int, action: *const KernelAction, old: *mut KernelAction) -> c_int |from| {
        if is_kept(signal) {
            // SAFETY: passed on.
            return unsafe { keep(signal, action, old) };
        }
        if !is_ours(signal) {
            // SAFETY: passed on.
            return unsafe { real::sigaction(signal, action, old) };
        }
        // SAFETY: the program's own action, if it gave one.
        unsafe { change(signal, action.as_ref(), old) }
    }

    fn signal(signal: c_int, handler: *mut c_void) -> *mut c_void |from| {
        if !is_ours(signal) {
            // SAFETY: passed on.
            return unsafe { real::signal(signal, handler) };
        }
        // SAFETY: zeroes are a valid structure.
        let mut action: KernelAction = unsafe { core::mem::zeroed() };
        // SAFETY: as above.
        let mut old: KernelAction = unsafe { core::mem::zeroed() };
        action.sa_sigaction = handler.addr();
        action.sa_flags = libc::SA_RESTART;
        // SAFETY: both are ours.
        match unsafe { change(signal, Some(&action), &mut old) } {
            0 => old.sa_sigaction as *mut c_void,
            _ => libc::SIG_ERR as *mut c_void,
        }
    }

    fn sigprocmask(how: c_int, set: *const c_void, old: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { change_mask(how, set, |set| real::sigprocmask(how, set, old)) }
    }

    fn pthread_sigmask(how: c_int, set: *const c_void, old: *mut c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { change_mask(how, set, |set| real::pthread_sigmask(how, set, old)) }
    }

    fn raise(signal: c_int) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(send(from, signal, true, || negated(unsafe { real::raise(signal) } as isize))) as c_int
    }

    fn kill(process: c_int, signal: c_int) -> c_int |from| {
        // SAFETY: passed on.
        let live = || unsafe { sys::call(libc::SYS_kill, [process as usize, signal as usize, 0, 0, 0, 0]) };
        as_errno(send(from, signal, crate::hooks::process::is_this(process), live)) as c_int
    }

    fn pthread_kill(thread: libc::pthread_t, signal: c_int) -> c_int |from| {
        // SAFETY: passed on. The error is the result.
        send(from, signal, true, || unsafe { real::pthread_kill(thread, signal) } as isize) as c_int
    }

    fn sigwaitinfo(set: *const c_void, information: *mut siginfo_t) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { await_signal(from, information, |information| timed_wait(set, information, core::ptr::null())) }
    }

    fn sigtimedwait(set: *const c_void, information: *mut siginfo_t, time: *const timespec) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { await_signal(from, information, |information| timed_wait(set, information, time)) }
    }

    fn sigwait(set: *const c_void, signal: *mut c_int) -> c_int |from| {
        loop {
            // SAFETY: passed on.
            let found = unsafe { await_signal(from, core::ptr::null_mut(), |information| timed_wait(set, information, core::ptr::null())) };
            if found > 0 {
                // SAFETY: where the program wants it.
                unsafe { *signal = found };
                return 0;
            }
            let error = crate::log::Errno::get();
            if error != libc::EINTR {
                return error;
            }
        }
    }

    fn pause() -> c_int |from| {
        // SAFETY: no arguments.
        as_errno(input::result(Call::waiting(from, 0), || unsafe { sys::call(libc::SYS_pause, [0; 6]) })) as c_int
    }

    fn sigsuspend(mask: *const c_void) -> c_int |from| {
        // SAFETY: passed on.
        as_errno(input::result(Call::waiting(from, 0), || unsafe {
            sys::call(libc::SYS_rt_sigsuspend, [mask as usize, 8, 0, 0, 0, 0])
        })) as c_int
    }
}
