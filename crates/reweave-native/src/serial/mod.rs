//! Serial runs: one thread at a time, every switch written down (Srinivasan 2005) and found again by block count and address.
//!
//! A thread that may not run sleeps on a word of its own. The one that runs gives the processor away when it has to wait, when its countdown of blocks is over,
//! or when a timer interrupts it between two instructions. A replay takes every decision from the recording and checks that it was made at the same place.
//! Executions are sequentially consistent: what only weak memory can do never happens here.

mod planted;
mod schedule;
mod scheduler;
mod settings;
mod ticks;

pub use scheduler::{arm, blocks, countdown_is_over, pass, point};
pub use settings::Settings;
pub use ticks::TICK;

use crate::cancel;
use crate::ending;
use crate::log;
use crate::order::From;
use crate::place;
use crate::processors;
use crate::state::Mode;
use crate::sys::Nanos;
use crate::thread::{DETACHED, State, Thread};
use core::ffi::c_int;
use core::sync::atomic::Ordering;
use reweave_runtime::outcome::Outcome;
use reweave_runtime::session::ReplayOptions;
use reweave_trace::schedule::Line;
use reweave_trace::{Kind, Process, Reason, SiteId, StreamId, Tag};
use schedule::Schedule;
use scheduler::SCHEDULER;
use std::path::Path;

/// Who is to be woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    One,
    All,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Woken,
    TimedOut,
}

/// Starts recording, in the main thread.
pub fn record(settings: &Settings) -> Result<(), String> {
    processors::stay_on_one();
    SCHEDULER.with(|scheduler| scheduler.start(settings));
    Mode::SerialRecord.set();
    scheduler::arm(main_thread()?);
    if settings.tick > 0 {
        ticks::start(settings.tick)?;
    }
    Ok(())
}

/// Starts replaying, in the main thread.
pub fn replay(process: Process, settings: &Settings, options: ReplayOptions) -> Result<(), String> {
    let schedule = Schedule::of(process)?;
    if schedule.has(Kind::Signal) {
        crate::signals::expect();
    }
    processors::stay_on_one();
    SCHEDULER.with(|scheduler| {
        scheduler.start(settings);
        scheduler.follow(schedule, options);
    });
    ticks::prepare_replay()?;
    match &settings.plan {
        None => Mode::SerialReplay.set(),
        Some(path) => {
            let lines = read_plan(path)?;
            SCHEDULER.with(|scheduler| scheduler.keep_to(scheduler::Plan::of(lines)));
            Mode::SerialFree.set();
        }
    }
    scheduler::arm(main_thread()?);
    Ok(())
}

fn read_plan(path: &Path) -> Result<Vec<Line>, String> {
    let failed = |error: &dyn core::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    reweave_trace::schedule::parse(&text).map_err(|error| failed(&error))
}

/// The scheduler is in order for as long as this takes.
pub fn hold<R>(work: impl FnOnce() -> R) -> R {
    match Mode::now().is_serial() {
        true => SCHEDULER.with(|_| work()),
        false => work(),
    }
}

fn main_thread() -> Result<&'static Thread, String> {
    Thread::of(StreamId::MAIN).ok_or_else(|| "the main thread has no record".to_owned())
}

/// A new thread waits for its first turn.
pub fn begin(thread: &'static Thread) {
    scheduler::park(thread);
    scheduler::arm(thread);
}

/// The stream of a thread that is about to be made.
pub fn new_stream(parent: &Thread) -> Option<StreamId> {
    match Mode::now() {
        Mode::SerialRecord => log::stream(Some(parent.id()), "thread"),
        _ => {
            let next = SCHEDULER.with(|scheduler| scheduler.next_stream());
            log::stream(Some(parent.id()), "thread");
            Some(next)
        }
    }
}

/// A thread was made, or not. It is waited for until it stands at its start, so that it is out of the way of what the program does next.
pub fn created(parent: &'static Thread, child: &'static Thread, from: From, result: c_int) {
    if result != 0 {
        child.set_state(State::Ended);
        return;
    }
    while child.countdown.load(Ordering::Acquire).is_null() {
        crate::sys::yield_now();
    }
    let value = u64::from(child.stream);
    SCHEDULER.with(|scheduler| scheduler.check_event(parent, Kind::Start, from, Some(value)));
    let site = parent.places.site(from);
    parent.log_valued(Kind::Start, site, Tag::NONE, 0, value);
}

/// The thread gives the processor away for good.
pub fn finish(thread: &'static Thread) {
    // Robust mutexes that it keeps will be free; whoever waits for one is to look again.
    for other in Thread::all().filter(|other| other.state() == State::Blocked) {
        let object = other.object.load(Ordering::Relaxed);
        if ending::owner_of(object).is_some_and(|owner| core::ptr::eq(owner, thread)) {
            wake(object, Who::All);
        }
    }
    thread.set_state(State::Ended);
    wake((&raw const *thread).addr(), Who::All);
    scheduler::give_up(thread, Reason::Ended, 0);
}

/// Takes a lock that `attempt` says `EBUSY` about as long as others have it.
pub fn acquire(
    thread: &'static Thread,
    object: usize,
    from: From,
    deadline: Option<Nanos>,
    attempt: impl Fn() -> c_int,
) -> c_int {
    loop {
        let result = attempt();
        if result != libc::EBUSY {
            return result;
        }
        if block(thread, object, from, deadline) == Ended::TimedOut {
            return libc::ETIMEDOUT;
        }
        if cancel::ends_wait(thread) {
            return libc::EINTR;
        }
    }
}

/// Waits until somebody wakes those who wait for the object, or until the deadline.
pub fn block(thread: &'static Thread, object: usize, from: From, deadline: Option<Nanos>) -> Ended {
    thread.object.store(object, Ordering::Relaxed);
    thread
        .deadline
        .store(deadline.unwrap_or(0), Ordering::Relaxed);
    thread.timed_out.store(0, Ordering::Relaxed);
    SCHEDULER.with(|scheduler| scheduler.line_up(thread));
    thread.set_state(State::Blocked);
    scheduler::give_up(thread, Reason::Blocked, from);
    thread.object.store(0, Ordering::Relaxed);
    thread.deadline.store(0, Ordering::Relaxed);
    match thread.timed_out.load(Ordering::Relaxed) {
        0 => Ended::Woken,
        _ => Ended::TimedOut,
    }
}

/// Nobody wakes a thread that sleeps.
pub fn sleep(thread: &'static Thread, from: From, deadline: Nanos) {
    block(thread, 0, from, Some(deadline));
}

pub fn yield_now(thread: &'static Thread, from: From) {
    scheduler::give_up(thread, Reason::Yielded, from);
}

/// Those who wait for the object can run again: the first that came, or all.
pub fn wake(object: usize, who: Who) {
    let count = match who {
        Who::One => 1,
        Who::All => usize::MAX,
    };
    wake_some(object, count);
}

/// Wakes so many of those who wait, and says how many that were.
pub fn wake_some(object: usize, count: usize) -> isize {
    SCHEDULER.with(|scheduler| scheduler.wake(object, count)) as isize
}

/// Something that differs from run to run.
pub fn value(thread: &'static Thread, from: From, read: impl Fn() -> u64) -> u64 {
    pass(thread, from);
    crate::signals::due(thread);
    let recorded =
        SCHEDULER.with(|scheduler| scheduler.check_event(thread, Kind::Value, from, None));
    let value = recorded.map_or_else(read, |event| event.value);
    let site = thread.places.site(from);
    thread.log_valued(Kind::Value, site, Tag::NONE, 0, value);
    value
}

/// Whether the thread's next event is an input.
pub fn expects_input(thread: &'static Thread) -> bool {
    SCHEDULER.with(|scheduler| scheduler.has_input(thread))
}

/// What the recording says that a call brought in. `None` in a recording: the call is to be made.
pub fn recorded_input(thread: &'static Thread, from: From) -> Option<(isize, &'static [u8])> {
    SCHEDULER.with(|scheduler| {
        let event = scheduler.check_event(thread, Kind::Input, from, None)?;
        Some((event.value as isize, scheduler.input(event.link)))
    })
}

/// The signal that the recording has next for the thread, if it is of the right moment and the thread is where it came.
pub fn recorded_signal(
    thread: &'static Thread,
    fits: impl Fn(u64) -> bool,
) -> Option<(u64, &'static [u8])> {
    SCHEDULER
        .with(|scheduler| {
            let event = scheduler.next_signal(thread, blocks(thread))?;
            fits(event.value).then(|| {
                scheduler.followed_one(thread);
                (event.value, scheduler.input(event.link))
            })
        })
        .inspect(|_| arm(thread))
}

/// A signal waits for the thread, which has the processor and is in the program's code: it stops at its next block.
pub fn stop_soon(thread: &'static Thread) {
    // SAFETY: the calling thread's own word.
    if unsafe { crate::tls::countdown().read_volatile() } > 1 {
        scheduler::set_countdown(thread, 1);
    }
}

/// Bytes go out: in a replay, those that the recording has.
pub fn check_output(thread: &'static Thread, from: From, digest: u64) {
    SCHEDULER.with(|scheduler| scheduler.check_event(thread, Kind::Output, from, Some(digest)));
}

/// A call that waits for something outside the program: others run in the meantime. `None` if a replay knows its result.
pub fn outside<R>(thread: &'static Thread, from: From, call: impl Fn() -> R) -> Option<R> {
    thread.set_state(State::Outside);
    let given = scheduler::give_up(thread, Reason::Outside, from);
    let known = match Mode::now() {
        Mode::SerialReplay => true,
        Mode::SerialFree => SCHEDULER.with(|scheduler| scheduler.has_input(thread)),
        _ => false,
    };
    let result = (!known).then(|| {
        let masked = ticks::mask();
        let result = call();
        let errno = log::Errno::save();
        masked.undo();
        errno.restore();
        result
    });
    if given == scheduler::Given::Away {
        let errno = log::Errno::save();
        scheduler::come_back(thread);
        errno.restore();
    }
    result
}

/// How a replay went, at the end of the program.
pub fn end() -> ((u64, u64), Outcome) {
    SCHEDULER.with(|scheduler| scheduler.end())
}

/// The thread that ended is gone for good once its handle is given back, if the program will not do that.
fn bury(thread: &'static Thread) {
    // Its last switch may have been written by whoever went on.
    thread.log_end();
    let handle = thread.handle.load(Ordering::Relaxed) as libc::pthread_t;
    if thread.fate.load(Ordering::Relaxed) == DETACHED {
        // SAFETY: nobody else joins a detached thread.
        unsafe { crate::real::pthread_join(handle, core::ptr::null_mut()) };
    } else if let Some(word) = scheduler::kernel_word(thread) {
        // SAFETY: the thread's memory stays until it is joined.
        unsafe { crate::sys::wait_until_gone(word) };
    }
}

fn name(thread: &Thread) -> String {
    match thread.stream {
        1 => "thread 1 (main)".to_owned(),
        stream => format!("thread {stream}"),
    }
}

/// Who waits for what, when nobody can go on.
fn waits() -> (Vec<String>, bool) {
    if let Some(cycle) = ending::cycle(|stream| Thread::of(stream).map_or(String::new(), name)) {
        return (cycle, true);
    }
    let blocked = Thread::all().filter(|thread| thread.state() == State::Blocked);
    let lines = blocked.map(|thread| {
        let object = thread.object.load(Ordering::Relaxed);
        format!("{} waits for {object:#x}", name(thread))
    });
    (lines.collect(), false)
}

fn site_of(thread: &Thread, from: From) -> SiteId {
    match from {
        0 => SiteId(0),
        from => thread.places.site(from),
    }
}

fn place_of(from: From) -> String {
    match from {
        0 => "libc".to_owned(),
        from => place::text(from),
    }
}
