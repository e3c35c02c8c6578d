//! What a program can do without calling anybody: read the processor's clock, and call the kernel by an instruction of its own.
//!
//! Both are looked for in the program's code when it starts, byte by byte (the clock with the shift that compilers put behind it, because
//! keeping it from a program that does not want it makes libc's own time slow). If there is
//! something, the kernel is asked to stop the program at it: `PR_SET_TSC` makes `rdtsc` a fault, which is answered with a recorded value, and `PR_SET_SYSCALL_USER_DISPATCH` makes
//! a system call from the program's own code a signal, which is noted and goes on as if it had been libc's `syscall`. Libraries are not looked at.

use crate::hooks::{futex, signals};
use crate::log::{self, Errno};
use crate::{place, real, sync, sys, tls, without};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use reweave_trace::file::table::Record;
use std::sync::OnceLock;

const RDTSC: &[u8] = &[0x0f, 0x31];
const RDTSCP: &[u8] = &[0x0f, 0x01, 0xf9];
/// How far behind the clock its shift is looked for.
const SOON: usize = 24;
const SYSCALL: &[u8] = &[0x0f, 0x05];

const PR_SET_TSC: usize = 26;
const TSC_ENABLE: usize = 1;
const TSC_FAULT: usize = 2;
const PR_SET_SYSCALL_USER_DISPATCH: usize = 59;

/// Whether the processor's clock is kept from the program.
static CLOCK: AtomicBool = AtomicBool::new(false);
/// Whether its own system calls are.
static CALLS: AtomicBool = AtomicBool::new(false);
/// Read by the kernel: 0 lets every system call pass.
static SELECTOR: AtomicU8 = AtomicU8::new(1);

/// Where the program's code is.
static PROGRAM: OnceLock<Vec<(usize, usize)>> = OnceLock::new();

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Looks at the program, and stands in its way.
pub fn prepare() {
    let code = PROGRAM.get_or_init(place::code_of_program);
    let contains = |pattern: &[u8], shifted: bool| {
        code.iter().any(|&(start, end)| {
            // SAFETY: code of the program, which is mapped and readable.
            let bytes = unsafe { core::slice::from_raw_parts(start as *const u8, end - start) };
            let found = |at: usize| {
                let rest = &bytes[at + pattern.len()..];
                let rest = &rest[..rest.len().min(SOON)];
                !shifted || rest.windows(4).any(is_shift)
            };
            let mut starts = bytes.windows(pattern.len()).enumerate();
            starts.any(|(at, window)| window == pattern && found(at))
        })
    };
    if (contains(RDTSC, true) || contains(RDTSCP, true)) && !without::is_left_out("rdtsc") {
        handle(libc::SIGSEGV, on_fault);
        CLOCK.store(set_clock(TSC_FAULT), Ordering::Relaxed);
    }
    if contains(SYSCALL, false) && !without::is_left_out("raw-syscall") {
        handle(libc::SIGSYS, on_call);
        CALLS.store(true, Ordering::Relaxed);
    }
    enter_thread();
}

/// `shl …, 32` of any register, with which compiled code makes one number of the clock's two halves.
fn is_shift(bytes: &[u8]) -> bool {
    matches!(bytes, [0x48 | 0x49, 0xc1, 0xe0..=0xe7, 0x20])
}

/// Whether faults are to be seen by us first.
pub fn faults_are_ours() -> bool {
    CLOCK.load(Ordering::Relaxed)
}

/// The calling thread's own system calls are kept from it, too; new threads have the clock from those that made them.
pub fn enter_thread() {
    if !CALLS.load(Ordering::Relaxed) {
        return;
    }
    // All but the program itself may: libraries lie above it.
    let lowest = place::lowest_library();
    // SAFETY: the selector stays for as long as the process does.
    let result = unsafe {
        let length = (1usize << 47) - lowest;
        let selector = SELECTOR.as_ptr() as usize;
        sys::call(
            libc::SYS_prctl,
            [PR_SET_SYSCALL_USER_DISPATCH, 1, lowest, length, selector, 0],
        )
    };
    if result < 0 {
        note(&SAID_CALLS, || {
            "the program's code may have system calls of its own, and this kernel cannot tell: they are not recorded".to_owned()
        });
    }
}

fn set_clock(how: usize) -> bool {
    // SAFETY: changes what one instruction does in this thread.
    unsafe { sys::call(libc::SYS_prctl, [PR_SET_TSC, how, 0, 0, 0, 0]) >= 0 }
}

fn handle(signal: c_int, handler: Handler) {
    // SAFETY: a zeroed structure is a valid one; the handler has the type that the flag asks for.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        // On the stack that the program has for such cases, if it has one.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        real::sigaction(signal, &action, core::ptr::null_mut());
    }
}

static SAID_CALLS: AtomicU32 = AtomicU32::new(0);

/// Says something once, in the recording.
pub fn note(said: &AtomicU32, text: impl FnOnce() -> String) {
    if said.swap(1, Ordering::Relaxed) == 0 {
        log::table(&Record::Note(text()));
    }
}

fn registers(context: *mut c_void) -> &'static mut [i64; 23] {
    // SAFETY: the kernel passes the context of the interrupted code, which stays until the handler returns; nobody keeps this any longer.
    unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs }
}

/// The processor's clock, which the thread itself may not read.
fn read_clock() -> u64 {
    set_clock(TSC_ENABLE);
    // SAFETY: there is such a clock on every x86-64.
    let now = unsafe { core::arch::x86_64::_rdtsc() };
    set_clock(TSC_FAULT);
    now
}

extern "C" fn on_fault(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    let errno = Errno::save();
    let registers = registers(context);
    let at = registers[libc::REG_RIP as usize] as usize;
    let of_kernel = 0x80;
    // SAFETY: the kernel passes it.
    let code = unsafe { (*information).si_code };
    // A fault at an address says so; this one has none.
    let length = match code == of_kernel {
        true => instruction_at(at),
        false => 0,
    };
    if length == 0 {
        errno.restore();
        signals::pass_on(signal, information, context);
        return;
    }
    let of_program = PROGRAM
        .get()
        .is_some_and(|code| code.iter().any(|(start, end)| (*start..*end).contains(&at)));
    let now = match of_program && !tls::me().is_null() {
        true => sync::value(at, read_clock),
        // libc wants to know the time, on our behalf or an allocator's.
        false => read_clock(),
    };
    registers[libc::REG_RAX as usize] = (now & 0xffff_ffff) as i64;
    registers[libc::REG_RDX as usize] = (now >> 32) as i64;
    if length == RDTSCP.len() {
        // The processor's number, which differs from moment to moment.
        registers[libc::REG_RCX as usize] = 0;
    }
    registers[libc::REG_RIP as usize] += length as i64;
    errno.restore();
}

/// Length of the instruction, if it reads the clock.
fn instruction_at(at: usize) -> usize {
    // SAFETY: the processor was about to execute it, so at least its first bytes are there.
    let byte_at = |index: usize| unsafe { *((at + index) as *const u8) };
    let starts = |pattern: &[u8]| (0..pattern.len()).all(|index| byte_at(index) == pattern[index]);
    if starts(RDTSC) {
        RDTSC.len()
    } else if starts(RDTSCP) {
        RDTSCP.len()
    } else {
        0
    }
}

/// A system call of the program's own.
extern "C" fn on_call(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    const SYS_USER_DISPATCH: c_int = 2;
    // SAFETY: the kernel passes it.
    if unsafe { (*information).si_code } != SYS_USER_DISPATCH {
        return signals::pass_on(signal, information, context);
    }
    let errno = Errno::save();
    let registers = registers(context);
    let number = registers[libc::REG_RAX as usize];
    let at = registers[libc::REG_RIP as usize] as usize;
    note(&SAID_CALLS, || {
        format!(
            "the program calls the kernel without libc (first: system call {number} at {}); of these only futexes, random numbers, times and numbers of processes are recorded",
            place::text(at)
        )
    });
    let argument = |register: c_int| registers[register as usize] as usize;
    let arguments = [
        argument(libc::REG_RDI),
        argument(libc::REG_RSI),
        argument(libc::REG_RDX),
        argument(libc::REG_R10),
        argument(libc::REG_R8),
        argument(libc::REG_R9),
    ];
    // SAFETY: what the program asked for.
    let result = unsafe { futex::call(number, arguments, at) };
    registers[libc::REG_RAX as usize] = result as i64;
    errno.restore();
}
