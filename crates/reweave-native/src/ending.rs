//! How a run ends: what is left behind for the command.

use crate::latest::Latest;
use crate::log;
use crate::order::Side;
use crate::serial;
use crate::start;
use crate::state::Mode;
use crate::sys;
use crate::thread::{State, Thread};
use core::sync::atomic::{AtomicU32, Ordering};
use reweave_runtime::outcome::{self, Outcome};
use reweave_trace::StreamId;
use reweave_trace::file::table::Record;
use std::path::PathBuf;

/// Where outcomes go, and which process this is.
pub struct Place {
    pub folder: PathBuf,
    pub process: String,
}

static PLACE: Latest<Place> = Latest::none();
/// The process has said how it ended.
static DONE: AtomicU32 = AtomicU32::new(0);

pub fn place() -> Option<&'static Place> {
    PLACE.get()
}

/// Which process this is from now on.
pub fn set_place(place: Place) {
    PLACE.set(place);
    DONE.store(0, Ordering::SeqCst);
}

/// Exit codes for whoever does not read the outcome.
const DIVERGED: i32 = 10;
const STALLED: i32 = 13;

/// A replay ends here.
pub fn finish(progress: (u64, u64), outcome: &Outcome) -> ! {
    let code = match outcome {
        Outcome::Diverged { .. } => DIVERGED,
        Outcome::Stalled { .. } => STALLED,
        _ => 0,
    };
    if leave(progress, outcome) {
        sys::exit_now(code);
    }
    // Another thread got there first and is about to end the process.
    sys::sleep_for_ever()
}

fn leave(progress: (u64, u64), outcome: &Outcome) -> bool {
    PLACE
        .get()
        .is_none_or(|place| outcome::write(&place.folder, &place.process, progress, outcome))
}

/// The process is about to end, in order: by the last destructor, or by a call that skips them.
pub fn process_ends() {
    if PLACE
        .get()
        .is_none_or(|_| sys::process_number() != start::process())
        || DONE.swap(1, Ordering::SeqCst) == 1
    {
        return;
    }
    match Mode::now() {
        Mode::Off => {
            // A replay that is not to follow anything has nothing else to say.
            leave((0, 0), &Outcome::NotEnforced);
        }
        Mode::OrderRecord | Mode::SerialRecord => log::table(&Record::End),
        Mode::OrderReplay => {
            if let Some(Side::Replay(replaying)) = start::side() {
                let outcome = replaying.end();
                match outcome {
                    Outcome::Followed => drop(leave(replaying.progress(), &outcome)),
                    other => finish(replaying.progress(), &other),
                }
            }
        }
        Mode::SerialReplay | Mode::SerialFree => {
            log::table(&Record::End);
            let (progress, outcome) = serial::end();
            match outcome {
                Outcome::Followed => drop(leave(progress, &outcome)),
                other => finish(progress, &other),
            }
        }
    }
    if Mode::now().is_serial() {
        // Whoever is parked stays so; what destructors are left run without us.
        Mode::Off.set();
    }
}

/// The process is about to become another program, which has its own part of the recording.
pub fn program_is_replaced() {
    let mode = Mode::now();
    process_ends();
    mode.set();
}

/// Threads that wait for each other's mutexes in a circle, in words.
pub fn cycle(name: impl Fn(StreamId) -> String) -> Option<Vec<String>> {
    Thread::all().find_map(|start| {
        let mut waits = vec![];
        let mut thread = start;
        loop {
            let object = thread.object.load(Ordering::Relaxed);
            let owner = owner_of(object)?;
            waits.push(format!(
                "{} waits for the mutex at {object:#x}, which {} holds",
                name(thread.id()),
                name(owner.id())
            ));
            if core::ptr::eq(owner, start) {
                return Some(waits);
            }
            if waits.len() > 1000 {
                return None;
            }
            thread = owner;
        }
    })
}

/// The thread that holds a mutex. glibc keeps its kernel number at offset 8.
pub fn owner_of(mutex: usize) -> Option<&'static Thread> {
    // Threads also wait for threads, by the address of a record, and for times, which have none.
    let record = |thread: &Thread| (&raw const *thread).addr() == mutex;
    if mutex == 0 || Thread::all().any(record) {
        return None;
    }
    // SAFETY: a thread stands before an operation on this object, so it is there; other kinds of objects are as large.
    let number = unsafe { *((mutex + 8) as *const u32) };
    Thread::by_kernel_number(number).filter(|owner| owner.state() != State::Ended)
}
