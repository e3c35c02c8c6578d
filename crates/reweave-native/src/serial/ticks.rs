//! Interruptions between two instructions. A recording is interrupted by a timer, wherever the thread happens to be. A replay runs to the recorded block by its countdown,
//! then an illegal instruction of one byte is put at the recorded address; the thread stops exactly there, as often as it comes by.

use super::planted::{self, unplant};
use super::scheduler::{self, set_countdown};
use crate::hooks::signals;
use crate::log::Errno;
use crate::place;
use crate::state::{Inside, Mode};
use crate::sys;
use crate::thread::Thread;
use crate::tls;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

/// A real-time signal that neither libc nor common programs use.
pub const TICK: c_int = 45;

/// Whether a timer runs.
static TICKING: AtomicU32 = AtomicU32::new(0);
/// The kernel's number of the timer, and the microseconds after which it is to ring.
static TIMER: AtomicI32 = AtomicI32::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(0);
/// Instructions that the thread that runs is still to make before it is interrupted; 0 none.
static STEPS: AtomicU32 = AtomicU32::new(0);
/// How many more it may make until it comes to code with callbacks.
static PATIENCE: AtomicU32 = AtomicU32::new(0);
const MOST_STEPS: u32 = 100;

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

fn handle(signal: c_int, handler: Handler, flags: c_int) -> Result<(), String> {
    // SAFETY: a zeroed structure is a valid one; the handler has the type that the flag asks for.
    let result = unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | flags;
        // A tick in the middle of another handler of ours would set the trap flag there.
        libc::sigaddset(&mut action.sa_mask, TICK);
        // Not by our own hook: threads that sleep need not keep these out.
        crate::real::sigaction(signal, &action, core::ptr::null_mut())
    };
    match result {
        0 => Ok(()),
        _ => Err(format!("cannot handle signal {signal}")),
    }
}

/// Starts the timer of a recording.
pub fn start(microseconds: u64) -> Result<(), String> {
    handle(TICK, on_tick, libc::SA_RESTART)?;
    handle(libc::SIGTRAP, on_step, libc::SA_RESTART)?;
    // By the kernel's own structures: libc would start a thread.
    let mut event = [0u64; 8];
    event[1] = TICK as u64;
    let mut timer: c_int = 0;
    // SAFETY: both structures are as large as the kernel's.
    let failed = unsafe {
        let clock = libc::CLOCK_MONOTONIC as usize;
        let made = sys::call(
            libc::SYS_timer_create,
            [
                clock,
                event.as_mut_ptr() as usize,
                &raw mut timer as usize,
                0,
                0,
                0,
            ],
        );
        made < 0
    };
    if failed {
        return Err("cannot make a timer".to_owned());
    }
    TIMER.store(timer, Ordering::Relaxed);
    PERIOD.store(microseconds, Ordering::Relaxed);
    TICKING.store(1, Ordering::Relaxed);
    wind_up();
    Ok(())
}

/// The next tick comes when this one has been dealt with: if they came by themselves, a busy machine could spend all its time on them.
fn wind_up() {
    if TICKING.load(Ordering::Relaxed) == 0 {
        return;
    }
    let nanos = (PERIOD.load(Ordering::Relaxed) * 1000) as i64;
    let once = [0, 0, nanos / 1_000_000_000, nanos % 1_000_000_000];
    // SAFETY: a structure as large as the kernel's.
    unsafe {
        sys::call(
            libc::SYS_timer_settime,
            [
                TIMER.load(Ordering::Relaxed) as usize,
                0,
                once.as_ptr() as usize,
                0,
                0,
                0,
            ],
        )
    };
}

/// A replay may have to stop threads between two instructions, and gdb may want to.
pub fn prepare_replay() -> Result<(), String> {
    handle(libc::SIGILL, on_illegal, libc::SA_NODEFER)?;
    handle(TICK, on_tick, libc::SA_RESTART)?;
    planted::prepare()?;
    Ok(())
}

/// Threads that do not run are not to be interrupted: their system calls would fail.
/// What is to be let through again.
pub struct Masked(u64);

/// Keeps the timer from the calling thread.
pub fn mask() -> Masked {
    match TICKING.load(Ordering::Relaxed) {
        0 => Masked(0),
        _ => mask_all(1 << (TICK - 1)),
    }
}

/// Keeps the timer and every signal that the program handles from the calling thread.
pub fn mask_handled() -> Masked {
    let ticks = match TICKING.load(Ordering::Relaxed) {
        0 => 0,
        _ => 1 << (TICK - 1),
    };
    match ticks | signals::handled() {
        0 => Masked(0),
        signals => mask_all(signals),
    }
}

fn mask_all(signals: u64) -> Masked {
    Masked(signals & !change_mask(libc::SIG_BLOCK, signals))
}

impl Masked {
    pub fn undo(self) {
        if self.0 != 0 {
            change_mask(libc::SIG_UNBLOCK, self.0);
        }
    }
}

fn change_mask(how: c_int, set: u64) -> u64 {
    let mut before = 0u64;
    // SAFETY: two sets of the kernel's size.
    unsafe {
        sys::call(
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

fn registers(context: *mut c_void) -> &'static mut [i64; 23] {
    // SAFETY: the kernel passes the context of the interrupted code, which stays until the handler returns; nobody keeps this any longer.
    unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs }
}

fn instruction(context: *mut c_void) -> usize {
    registers(context)[libc::REG_RIP as usize] as usize
}

/// The processor traps after the next instruction of the interrupted code, or goes on.
fn set_stepping(context: *mut c_void, stepping: bool) {
    const TRAP_FLAG: i64 = 0x100;
    let flags = &mut registers(context)[libc::REG_EFL as usize];
    *flags = match stepping {
        true => *flags | TRAP_FLAG,
        false => *flags & !TRAP_FLAG,
    };
}

extern "C" fn on_tick(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let forced = scheduler::reweave_force.load(Ordering::Relaxed) != 0;
    let wanted = match Mode::now() {
        Mode::SerialRecord => STEPS.load(Ordering::Relaxed) == 0,
        Mode::SerialReplay | Mode::SerialFree => forced,
        _ => false,
    };
    // In our code, or not recorded: not now.
    let Some(inside) = Some(wanted)
        .filter(|&wanted| wanted)
        .and_then(|_| Inside::enter())
    else {
        wind_up();
        return;
    };
    let thread = inside.thread;
    if scheduler::reweave_current.load(Ordering::SeqCst) != thread.stream {
        wind_up();
        return;
    }
    if forced {
        stop_here(thread, context);
        return;
    }
    // Time is spent in few instructions, many of them ours. A few steps further every instruction is as likely as the next.
    let steps = 1 + chance() % 32;
    STEPS.store(steps, Ordering::Relaxed);
    PATIENCE.store(MOST_STEPS, Ordering::Relaxed);
    set_stepping(context, true);
}

/// After every instruction, while steps are left.
extern "C" fn on_step(signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let steps = STEPS.load(Ordering::Relaxed);
    if steps == 0 {
        // The program's own: it dies of it, as it would have.
        // SAFETY: the default is a valid action.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    }
    let end = || {
        set_stepping(context, false);
        STEPS.store(0, Ordering::Relaxed);
        wind_up();
    };
    let Some(inside) = Inside::enter() else {
        // It came into our code, and will be there for long.
        end();
        return;
    };
    if steps > 1 {
        STEPS.store(steps - 1, Ordering::Relaxed);
        return;
    }
    if stops_at(instruction(context)) {
        end();
        stop_here(inside.thread, context);
    } else if PATIENCE.fetch_sub(1, Ordering::Relaxed) == 0 {
        end();
        postpone(inside.thread);
    }
}

fn stop_here(thread: &'static Thread, context: *mut c_void) {
    let errno = Errno::save();
    let at = instruction(context);
    if stops_at(at) {
        scheduler::interrupted(thread, at);
    } else {
        postpone(thread);
    }
    errno.restore();
}

/// What a recording does by chance need not come again, so this has no seed.
fn chance() -> u32 {
    static STATE: AtomicU32 = AtomicU32::new(0x9e37_79b9);
    let mut state = STATE.load(Ordering::Relaxed);
    state = state.wrapping_add(sys::clock(libc::CLOCK_MONOTONIC) as u32) | 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    STATE.store(state, Ordering::Relaxed);
    state
}

/// What has no callbacks is not interrupted, but the next block is the last.
fn postpone(thread: &'static Thread) {
    // SAFETY: the calling thread's own word.
    if unsafe { tls::countdown().read_volatile() } > 1 {
        set_countdown(thread, 1);
    }
}

/// Whether a replay would find a thread again that was stopped at this instruction.
fn stops_at(at: usize) -> bool {
    // SAFETY: the calling thread's own word.
    let about_to_stop = unsafe { tls::countdown().read_volatile() } == 0;
    place::is_instrumented(at) && !about_to_stop && !asks_the_countdown(at) && !repeats(at)
}

/// An inlined countdown (`hook.h`) is two instructions: it counts, then it jumps over a call unless that was the last. A replay is told by the call that the count is reached, so it
/// cannot stop in front of the jump, which has a prefix that means nothing and that compilers do not use. The same with the return of a callback (`callbacks.s`).
fn asks_the_countdown(at: usize) -> bool {
    // SAFETY: the instruction that the processor was about to execute, and the bytes behind it.
    let code = unsafe { core::slice::from_raw_parts(at as *const u8, 3) };
    matches!(code, [0x2e, 0x74 | 0x75 | 0xc3, _] | [0x2e, 0x0f, 0x85])
}

/// A string instruction that repeats may be interrupted halfway, and nothing counts how far it got.
fn repeats(at: usize) -> bool {
    // SAFETY: the instruction that the processor was about to execute, and the bytes behind it.
    let code = unsafe { core::slice::from_raw_parts(at as *const u8, 3) };
    let operation = match code {
        [0xf2 | 0xf3, 0x40..=0x4f, operation] => *operation,
        [0xf2 | 0xf3, operation, _] => *operation,
        _ => return false,
    };
    matches!(operation, 0x6c..=0x6f | 0xa4..=0xa7 | 0xaa..=0xaf)
}

extern "C" fn on_illegal(signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let at = instruction(context);
    let ours = planted::is_at(at);
    let Some(inside) = Some(ours)
        .filter(|&ours| ours)
        .and_then(|_| Inside::enter())
    else {
        if !planted::put_back(at) {
            // The program's own: it dies of it, as it would have.
            // SAFETY: the default is a valid action.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        return;
    };
    let errno = Errno::save();
    unplant();
    scheduler::interrupted(inside.thread, at);
    errno.restore();
}
