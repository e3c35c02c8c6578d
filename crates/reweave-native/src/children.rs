//! Child processes: each has its own part of the recording, with its own streams, and is held to it in a replay. The order between processes is not recorded; what they
//! tell each other through pipes and sockets is, on both sides.

use crate::hooks::{io, memory};
use crate::input;
use crate::latest::Latest;
use crate::log::Errno;
use crate::order::{From, Side, cells};
use crate::signals;
use crate::state::{Inside, Mode};
use crate::{alloc, ending, place, real, serial, start, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering};
use reweave_trace::Kind;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How many this process has had.
static COUNT: AtomicU32 = AtomicU32::new(0);
/// In a replay, the real number of a child by its recorded one.
static NUMBERS: Latest<Mutex<HashMap<c_int, c_int>>> = Latest::none();

fn numbers<R>(work: impl FnOnce(&mut HashMap<c_int, c_int>) -> R) -> R {
    let numbers = NUMBERS
        .get()
        .unwrap_or_else(|| NUMBERS.set(Mutex::default()));
    work(&mut numbers.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The real number of a child, which is about to be waited for.
pub fn take_number(recorded: c_int) -> Option<c_int> {
    numbers(|numbers| numbers.remove(&recorded))
}

pub fn path_of(child: u32) -> String {
    let parent = ending::place().map_or("0", |place| place.process.as_str());
    format!("{parent}.{child}")
}

/// Makes a child. `make` gets its path and returns its number, 0 in the child, or an error's number negated.
pub fn make(from: From, make: impl Fn(&str) -> isize) -> isize {
    let Some(inside) = Inside::enter() else {
        return make("");
    };
    let thread = inside.thread;
    memory::child_comes();
    signals::due(thread);
    let child_began = |path: &str| -> isize {
        // There is no other thread any more, and this one has another record.
        start::begin_child(path);
        0
    };
    let record = |link: u64| {
        let child = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
        let path = path_of(child);
        let result = make(&path);
        if result != 0 {
            let bytes = child.to_le_bytes().to_vec();
            thread.log_input(from, 0, link, result, bytes);
            return result;
        }
        child_began(&path)
    };
    let replay = |recorded: isize, bytes: &[u8]| {
        let child = <[u8; 4]>::try_from(bytes).map_or(0, u32::from_le_bytes);
        if recorded < 0 {
            return recorded;
        }
        let path = path_of(child);
        match make(&path) {
            0 => child_began(&path),
            error @ ..0 => error,
            real => {
                numbers(|numbers| numbers.insert(recorded as c_int, real as c_int));
                recorded
            }
        }
    };
    let result = match start::side() {
        Some(Side::Record) => record(cells::exchange(input::KERNEL, thread.link())),
        Some(Side::Replay(replaying)) => {
            replaying.turn(thread, Kind::Input, from);
            let recorded = replaying.turns.value(thread.id()) as isize;
            let result = replay(recorded, replaying.input(thread).unwrap_or(&[]));
            if result != 0 {
                replaying.done(thread);
            }
            result
        }
        None => match serial::recorded_input(thread, from) {
            Some((recorded, bytes)) => replay(recorded, bytes),
            None => record(0),
        },
    };
    if result == 0 {
        core::mem::forget(inside);
        tls::set_me(tls::record());
    }
    result
}

/// `fork`, at a moment at which no lock of ours is held by a thread that the child does not have.
pub fn fork(from: From) -> isize {
    make(from, |path| {
        let held = place::hold();
        let descriptors = io::hold();
        // SAFETY: no arguments.
        let child = serial::hold(|| alloc::hold(|| unsafe { real::fork() }));
        drop(descriptors);
        drop(held);
        if child == 0 && path.is_empty() {
            // Nobody knows the thread that forked, so nobody can tell what the child is.
            Mode::Off.set();
        }
        match child {
            -1 => -(Errno::get() as isize),
            child => child as isize,
        }
    })
}

/// What a child that was forked does not have in common with its parent.
pub fn forget_parent() {
    COUNT.store(0, Ordering::Relaxed);
    NUMBERS.clear();
    cells::clear();
    place::forget_written();
}
