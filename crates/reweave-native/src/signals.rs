//! Signals that the program handles: their handlers run where a replay can run them again.
//!
//! In front of every handler stands `arrived`. What comes while the thread waits in a call is handled at once, and written before that call's event. What comes at another
//! moment waits for the thread's next event, or in a serial run for its next block; a thread that comes to neither for a while is not kept waiting, and a replay then runs the
//! handler right after the thread's last event (`Moment::Between`). In a replay nothing that arrives counts, and handlers run as the recording says.
//!
//! Faults (`SIGSEGV` and its like) are a thread's own doing and come by themselves.

use crate::hooks::signals::{Action, action, reset};
use crate::log::{self, Errno};
use crate::order::{Side, cells};
use crate::state::Mode;
use crate::thread::Thread;
use crate::{cancel, input, serial, start, sys, tls};
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering, compiler_fence};
use reweave_trace::{Kind, Moment};

/// What the kernel tells about a signal.
pub type Information = [u8; 128];

const ROOM: usize = 16;
/// A real-time signal that reminds a thread of what waits for it.
pub const REMINDER: c_int = 46;
/// The reminder and the timer of serial runs, which must not interrupt what we do for a signal: both change the countdown.
pub const OUR_SIGNALS: u64 = 1 << (REMINDER - 1) | 1 << (serial::TICK - 1);
/// After how long it does.
const REMIND_AFTER: i64 = 20_000_000;
/// How long a thread may compute without coming to a place where handlers run.
const MOST_COMPUTED: sys::Nanos = 5_000_000;
/// How often it is reminded if it does not compute at all: it waits somewhere that we do not see.
const MOST_REMINDERS: u32 = 20;

/// Whether the recording that is replayed has any.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// Signals that have arrived at a thread and not been handled. Only the thread itself uses it, and a handler that interrupts it.
pub struct Queue {
    first: AtomicU32,
    end: AtomicU32,
    places: UnsafeCell<[(c_int, Information); ROOM]>,
    /// The thread waits in a call: handlers may run.
    waiting: AtomicBool,
    /// In a call that others know of already: they would wait for the signal, so it must not wait for them.
    told: AtomicBool,
    /// Reminds the thread; -1 none yet.
    timer: AtomicI32,
    /// How much it had computed when the first of these arrived, and how often it has been reminded since.
    computed: AtomicU64,
    reminders: AtomicU32,
}

// SAFETY: only the owner uses the places, and what interrupts it adds behind `end`, where the owner does not look.
unsafe impl Sync for Queue {}

impl Queue {
    pub const fn new() -> Queue {
        Queue {
            first: AtomicU32::new(0),
            end: AtomicU32::new(0),
            places: UnsafeCell::new([(0, [0; 128]); ROOM]),
            waiting: AtomicBool::new(false),
            told: AtomicBool::new(false),
            timer: AtomicI32::new(-1),
            computed: AtomicU64::new(0),
            reminders: AtomicU32::new(0),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.first.load(Ordering::Relaxed) == self.end.load(Ordering::Relaxed)
    }

    /// The thread cannot be expected to come to an event soon.
    fn have_waited(&self) -> bool {
        let now = sys::clock(libc::CLOCK_THREAD_CPUTIME_ID);
        let computed = now.saturating_sub(self.computed.load(Ordering::Relaxed));
        computed >= MOST_COMPUTED || self.reminders.load(Ordering::Relaxed) >= MOST_REMINDERS
    }

    fn push(&self, signal: c_int, information: &Information) {
        let (first, end) = (
            self.first.load(Ordering::Relaxed),
            self.end.load(Ordering::Relaxed),
        );
        // SAFETY: see above.
        let places = unsafe { &mut *self.places.get() };
        let waits = (first..end).any(|index| places[index as usize % ROOM].0 == signal);
        // The kernel keeps one of each of the old signals, too.
        if end - first == ROOM as u32 || waits && signal < 32 {
            return;
        }
        places[end as usize % ROOM] = (signal, *information);
        self.end.store(end + 1, Ordering::Release);
    }

    fn pop(&self) -> Option<(c_int, Information)> {
        let first = self.first.load(Ordering::Relaxed);
        if first == self.end.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: see above.
        let taken = unsafe { (*self.places.get())[first as usize % ROOM] };
        self.first.store(first + 1, Ordering::Release);
        Some(taken)
    }
}

/// The recording has signals.
pub fn expect() {
    EXPECTED.store(true, Ordering::Relaxed);
}

/// Handles the reminder.
pub fn prepare() {
    // SAFETY: a zeroed structure is a valid one; the handler has the type that the flag asks for.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = reminded as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        *(&raw mut action.sa_mask).cast::<u64>() = OUR_SIGNALS;
        crate::real::sigaction(REMINDER, &action, core::ptr::null_mut());
    }
}

/// In front of every handler of the program.
pub extern "C" fn arrived(signal: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    let errno = Errno::save();
    // SAFETY: records are never freed; the kernel passes as much as it says.
    let (thread, information) =
        unsafe { (tls::record().as_ref(), &*information.cast::<Information>()) };
    match (thread, Mode::now()) {
        (None, _) | (_, Mode::Off) => call(signal, information, context),
        (_, Mode::OrderReplay | Mode::SerialReplay) => dropped(signal, information),
        (Some(thread), Mode::OrderRecord | Mode::SerialRecord | Mode::SerialFree) => {
            if thread.signals.is_empty() {
                let now = sys::clock(libc::CLOCK_THREAD_CPUTIME_ID);
                thread.signals.computed.store(now, Ordering::Relaxed);
                thread.signals.reminders.store(0, Ordering::Relaxed);
            }
            thread.signals.push(signal, information);
            look(thread);
        }
    }
    errno.restore();
}

/// What arrives in a replay does not count, except that the user wants it to end.
fn dropped(signal: c_int, information: &Information) {
    let sender = i32::from_ne_bytes([
        information[16],
        information[17],
        information[18],
        information[19],
    ]);
    let ends = matches!(
        signal,
        libc::SIGINT | libc::SIGTERM | libc::SIGQUIT | libc::SIGHUP
    );
    if ends && sender != sys::process_number() {
        sys::exit_now(128 + signal);
    }
}

extern "C" fn reminded(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    let errno = Errno::save();
    // SAFETY: records are never freed.
    if let Some(thread) = unsafe { tls::record().as_ref() } {
        thread.signals.reminders.fetch_add(1, Ordering::Relaxed);
        look(thread);
    }
    errno.restore();
}

/// Whether what has arrived can be handled here and now, in whatever the thread was doing.
fn look(thread: &'static Thread) {
    if thread.signals.is_empty() {
        if cancel::is_awaited(thread) {
            remind(thread);
        }
        return;
    }
    let in_the_program = !tls::me().is_null();
    match Mode::now() {
        Mode::OrderRecord if thread.signals.waiting.load(Ordering::Relaxed) => {
            handle_all(thread, Moment::Call);
            return;
        }
        Mode::OrderRecord if in_the_program && thread.signals.have_waited() => {
            handle_all(thread, Moment::Between);
            return;
        }
        Mode::SerialRecord | Mode::SerialFree if in_the_program => serial::stop_soon(thread),
        _ => (),
    }
    remind(thread);
}

fn remind(thread: &Thread) {
    const THREAD: u64 = 4;
    let timer = &thread.signals.timer;
    if timer.load(Ordering::Relaxed) < 0 {
        let mut event = [0u64; 8];
        event[1] = THREAD << 32 | REMINDER as u64;
        event[2] = sys::thread_number() as u64;
        let mut made: c_int = -1;
        let clock = libc::CLOCK_MONOTONIC as usize;
        // SAFETY: both structures are as large as the kernel's.
        unsafe {
            let arguments = [
                clock,
                event.as_ptr() as usize,
                &raw mut made as usize,
                0,
                0,
                0,
            ];
            sys::call(libc::SYS_timer_create, arguments);
        }
        timer.store(made, Ordering::Relaxed);
    }
    let once = [0i64, 0, 0, REMIND_AFTER];
    // SAFETY: as large as the kernel's.
    unsafe {
        let number = timer.load(Ordering::Relaxed) as usize;
        sys::call(
            libc::SYS_timer_settime,
            [number, 0, once.as_ptr() as usize, 0, 0, 0],
        );
    }
}

fn handle_all(thread: &'static Thread, mut moment: Moment) -> Handled {
    let mut handled = Handled::Nothing;
    while let Some((signal, information)) = thread.signals.pop() {
        let link = match start::side() {
            Some(_) if !thread.signals.told.load(Ordering::Relaxed) => {
                cells::exchange(input::KERNEL, thread.link())
            }
            _ => 0,
        };
        let blocks = match start::side() {
            Some(_) => 0,
            None => serial::blocks(thread),
        };
        let value = blocks << 16 | (moment as u64) << 8 | signal as u64;
        thread.log_signal(link, value, information.to_vec());
        handled = handled.and(run(thread, signal, &information));
        moment = next_moment(moment);
    }
    handled
}

/// The moment of a signal that comes when the handler of another has just ended. Its block may also be the handler's last, so that does not say where it is.
fn next_moment(moment: Moment) -> Moment {
    match start::side() {
        Some(_) => moment,
        None => Moment::Between,
    }
}

/// What became of signals, for a call that they interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    Nothing,
    /// All of them want the call to go on.
    Restart,
    Interrupt,
}

impl Handled {
    fn and(self, other: Handled) -> Handled {
        match (self, other) {
            (Handled::Nothing, other) | (other, Handled::Nothing) => other,
            (Handled::Restart, Handled::Restart) => Handled::Restart,
            _ => Handled::Interrupt,
        }
    }
}

/// Runs the program's handler, as the kernel would.
fn run(thread: &'static Thread, signal: c_int, information: &Information) -> Handled {
    let Action {
        handler,
        flags,
        mask,
    } = action(signal);
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // It was taken away in the meantime.
        return Handled::Nothing;
    }
    if flags & libc::SA_RESETHAND != 0 {
        reset(signal);
    }
    let own = match flags & libc::SA_NODEFER {
        0 => 1 << (signal - 1),
        _ => 0,
    };
    let before = tls::me();
    let waited = thread.signals.waiting.swap(false, Ordering::Relaxed);
    let told = thread.signals.told.swap(false, Ordering::Relaxed);
    let old = sys::block_signals(mask | own);
    tls::set_me((&raw const *thread).cast_mut());
    call(signal, information, core::ptr::null_mut());
    tls::set_me(before);
    sys::set_signals(old);
    thread.signals.waiting.store(waited, Ordering::Relaxed);
    thread.signals.told.store(told, Ordering::Relaxed);
    match flags & libc::SA_RESTART {
        0 => Handled::Interrupt,
        _ => Handled::Restart,
    }
}

fn call(signal: c_int, information: &Information, context: *mut c_void) {
    let Action { handler, flags, .. } = action(signal);
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        return;
    }
    // Where the program was interrupted is not known any more; nobody needs it but profilers.
    static NOWHERE: [u64; 256] = [0; 256];
    let context = match context.is_null() {
        true => (&raw const NOWHERE).cast_mut().cast(),
        false => context,
    };
    if flags & libc::SA_SIGINFO != 0 {
        // SAFETY: the flag says that it has this type.
        let handler: extern "C" fn(c_int, *const Information, *mut c_void) =
            unsafe { core::mem::transmute(handler) };
        handler(signal, information, context);
    } else {
        // SAFETY: without the flag it has this one.
        let handler: extern "C" fn(c_int) = unsafe { core::mem::transmute(handler) };
        handler(signal);
    }
}

/// The thread comes to an event: whatever has arrived is handled first.
#[inline]
pub fn due(thread: &'static Thread) -> Handled {
    match Mode::now() {
        Mode::OrderRecord | Mode::SerialRecord | Mode::SerialFree => {
            if thread.signals.is_empty() {
                return Handled::Nothing;
            }
            handle_all(thread, Moment::Call)
        }
        Mode::OrderReplay | Mode::SerialReplay if EXPECTED.load(Ordering::Relaxed) => {
            again(thread, Moment::Call)
        }
        _ => Handled::Nothing,
    }
}

/// The thread has done an event of a replay.
#[inline]
pub fn after_event(thread: &'static Thread) {
    if EXPECTED.load(Ordering::Relaxed) {
        again(thread, Moment::Between);
    }
}

/// A thread of a serial run has stopped at a block. True if it was for a signal.
pub fn at_block(thread: &'static Thread) -> bool {
    let handled = match Mode::now() {
        Mode::SerialRecord | Mode::SerialFree if !thread.signals.is_empty() => {
            serial::arm(thread);
            handle_all(thread, Moment::Block)
        }
        Mode::SerialReplay if EXPECTED.load(Ordering::Relaxed) => again(thread, Moment::Block),
        _ => Handled::Nothing,
    };
    handled != Handled::Nothing
}

/// Handles what the recording has here.
#[cold]
fn again(thread: &'static Thread, moment: Moment) -> Handled {
    let mut handled = Handled::Nothing;
    let mut fits = [moment, moment];
    while let Some((value, information)) = recorded(thread, fits) {
        handled = handled.and(run(thread, value as u8 as c_int, &information));
        fits = match moment {
            // Another one at a block is for the callback there.
            Moment::Block => [Moment::Between; 2],
            _ => [moment, next_moment(moment)],
        };
    }
    handled
}

fn recorded(thread: &'static Thread, moments: [Moment; 2]) -> Option<(u64, Information)> {
    let mut information = [0; 128];
    let fits = |value: u64| {
        moments
            .iter()
            .any(|moment| *moment as u8 == (value >> 8) as u8)
    };
    let value = match start::side() {
        Some(Side::Replay(replaying)) => {
            let next = replaying.expects(thread, &[Kind::Signal]);
            if !next || !fits(replaying.turns.value(thread.id())) {
                return None;
            }
            replaying.turn(thread, Kind::Signal, 0);
            let value = replaying.turns.value(thread.id());
            copy(replaying.input(thread).unwrap_or(&[]), &mut information);
            replaying.turns.done(thread.id());
            value
        }
        Some(Side::Record) => return None,
        None => {
            let (value, bytes) = serial::recorded_signal(thread, fits)?;
            copy(bytes, &mut information);
            log::Errno::save().restore();
            thread.log_signal(0, value, bytes.to_vec());
            value
        }
    };
    Some((value, information))
}

fn copy(bytes: &[u8], information: &mut Information) {
    let count = bytes.len().min(information.len());
    information[..count].copy_from_slice(&bytes[..count]);
}

/// The same for a call that others know of before it is made.
pub fn while_telling<R>(thread: &'static Thread, call: impl FnOnce() -> R) -> R {
    thread.signals.told.store(true, Ordering::Relaxed);
    let result = while_waiting(thread, call);
    thread.signals.told.store(false, Ordering::Relaxed);
    result
}

/// Runs a call that may wait: signals that arrive meanwhile are handled at once.
#[inline]
pub fn while_waiting<R>(thread: &'static Thread, call: impl FnOnce() -> R) -> R {
    thread.signals.waiting.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // What came just before must not wait for what the call waits for.
    if !thread.signals.is_empty() {
        handle_all(thread, Moment::Call);
    }
    let result = call();
    compiler_fence(Ordering::SeqCst);
    thread.signals.waiting.store(false, Ordering::Relaxed);
    result
}
