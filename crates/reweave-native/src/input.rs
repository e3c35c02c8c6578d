//! Calls to the world outside: what comes in is recorded and fed back, what goes out is compared with the recording, and a replay sends it to nobody.
//!
//! In sync order all of them are ordered with each other as uses of one object, the kernel. That is more than a program needs, but only what really happened, and
//! it covers every way in which one thread can reach another through it: pipes, sockets, event counters, numbers of descriptors that are used again.

use crate::order::{From, Side, cells};
use crate::signals::{self, Handled};
use crate::state::Inside;
use crate::{cancel, ending, place, serial, start};
use core::ffi::c_int;
use reweave_runtime::outcome::Outcome;
use reweave_trace::{Kind, Tag};

/// The object that calls are ordered by; no object of the program has this address.
pub const KERNEL: usize = 1 << 63;

/// When the call makes a difference to others, or others to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Never: the time of day.
    Free,
    /// Its result depends on what was done before it returned: reading, opening.
    After,
    /// Others may notice as soon as it begins: writing, closing.
    Before,
}

#[derive(Clone, Copy)]
pub struct Call {
    pub from: From,
    pub descriptor: c_int,
    pub order: Order,
    /// Others may run while it waits.
    pub waits: bool,
    /// It goes on after a signal whose handler wants that: reading, not polling.
    pub restarts: bool,
    /// A signal that it brings about is handled before it returns.
    pub catches: bool,
}

impl Call {
    /// A call that may wait for something to come.
    pub fn waiting(from: From, descriptor: c_int) -> Call {
        Call {
            from,
            descriptor,
            order: Order::After,
            waits: true,
            restarts: false,
            catches: false,
        }
    }

    /// A call that waits for bytes, and goes on after a signal.
    pub fn receiving(from: From, descriptor: c_int) -> Call {
        Call {
            restarts: true,
            ..Call::waiting(from, descriptor)
        }
    }

    /// A call that only asks.
    pub fn asking(from: From, descriptor: c_int) -> Call {
        Call {
            from,
            descriptor,
            order: Order::After,
            waits: false,
            restarts: false,
            catches: false,
        }
    }

    /// A call that others may notice.
    pub fn telling(from: From, descriptor: c_int) -> Call {
        Call {
            from,
            descriptor,
            order: Order::Before,
            waits: false,
            restarts: false,
            catches: false,
        }
    }

    /// A call whose result nobody else can change.
    pub fn reading(from: From) -> Call {
        Call {
            from,
            descriptor: 0,
            order: Order::Free,
            waits: false,
            restarts: false,
            catches: false,
        }
    }

    fn tag(self) -> u32 {
        self.descriptor as u32
    }
}

/// Makes a call, or finds it in the recording. `live` is the real one, whose result is an error's number negated if it failed; `keep` collects the bytes that it left
/// behind; `feed` gets the recorded result and bytes, and returns what the program is to see.
pub fn call(
    call: Call,
    live: impl Fn() -> isize,
    keep: impl Fn(isize) -> Vec<u8>,
    feed: impl Fn(isize, &[u8]) -> isize,
) -> isize {
    let Some(inside) = Inside::enter() else {
        return live();
    };
    let thread = inside.thread;
    signals::due(thread);
    let log = |link, result, bytes| thread.log_input(call.from, call.tag(), link, result, bytes);
    match start::side() {
        Some(Side::Record) => {
            let exchange = || cells::exchange(KERNEL, thread.link());
            let before = match call.order {
                Order::Before => exchange(),
                Order::Free | Order::After => 0,
            };
            let result = match call.order {
                Order::Before => signals::while_telling(thread, live),
                Order::Free | Order::After => signals::while_waiting(thread, live),
            };
            let link = match call.order {
                Order::After => exchange(),
                Order::Free | Order::Before => before,
            };
            let errno = crate::log::Errno::save();
            log(link, result, keep(result));
            errno.restore();
            result
        }
        Some(Side::Replay(replaying)) => {
            replaying.turn(thread, Kind::Input, call.from);
            let result = replaying.turns.value(thread.id()) as isize;
            let result = feed(result, replaying.input(thread).unwrap_or(&[]));
            replaying.done(thread);
            result
        }
        None => {
            let mut made;
            loop {
                made = match call.waits {
                    true => serial::outside(thread, call.from, &live),
                    false => None,
                };
                // In a replay nobody knows yet how the call ended, but only if it was interrupted a signal comes before its event.
                let interrupted =
                    call.waits && made.is_none_or(|result| result.abs() == libc::EINTR as isize);
                let handled = match interrupted {
                    true => signals::due(thread),
                    false => Handled::Nothing,
                };
                if handled != Handled::Restart || !call.restarts {
                    break;
                }
            }
            if made.is_none()
                && let Some((result, recorded)) = serial::recorded_input(thread, call.from)
            {
                log(0, result, recorded.to_vec());
                if call.waits && result.abs() == libc::EINTR as isize {
                    cancel::interrupted(thread);
                }
                return feed(result, recorded);
            }
            let result = made.unwrap_or_else(live);
            if call.waits && result.abs() == libc::EINTR as isize {
                cancel::interrupted(thread);
            }
            if call.catches {
                signals::due(thread);
            }
            log(0, result, keep(result));
            result
        }
    }
}

/// A call that leaves nothing behind but its result, and is not made in a replay.
pub fn result(of: Call, live: impl Fn() -> isize) -> isize {
    call(of, live, |_| Vec::new(), |result, _| result)
}

/// A call that fills a buffer: `filled` says how far, by the result.
///
/// # Safety
/// `buffer` has room for `length` bytes.
pub unsafe fn bytes(
    of: Call,
    buffer: *mut u8,
    length: usize,
    filled: impl Fn(isize) -> usize,
    live: impl Fn() -> isize,
) -> isize {
    let keep = |result| {
        // SAFETY: the caller's bytes, which the call has written.
        unsafe { slice(buffer, filled(result).min(length)) }.to_vec()
    };
    let feed = |result, recorded: &[u8]| {
        let count = recorded.len().min(length);
        // SAFETY: the caller's room, of which no more than there is.
        unsafe { core::ptr::copy_nonoverlapping(recorded.as_ptr(), buffer, count) };
        result
    };
    call(of, live, keep, feed)
}

/// The usual case of `filled`: the result is the number of bytes.
pub fn as_many(result: isize) -> usize {
    result.max(0) as usize
}

/// What a program passes as address and length; null if there is nothing.
///
/// # Safety
/// If there is something, it is so long.
pub unsafe fn slice<'a>(start: *const u8, length: usize) -> &'a [u8] {
    match start.is_null() || length == 0 {
        true => &[],
        // SAFETY: by the caller.
        false => unsafe { core::slice::from_raw_parts(start, length) },
    }
}

/// Bytes are about to go out: they must be those that went out.
pub fn compare_output(from: From, descriptor: c_int, pieces: &[&[u8]]) {
    let Some(inside) = Inside::enter() else {
        return;
    };
    let thread = inside.thread;
    signals::due(thread);
    let value = digest(pieces);
    let log = || {
        let site = thread.places.site(from);
        let tag = Tag(descriptor as u32 & 0xff_ffff);
        thread.log_valued(Kind::Output, site, tag, 0, value);
    };
    match start::side() {
        Some(Side::Record) => log(),
        Some(Side::Replay(replaying)) => {
            replaying.turn(thread, Kind::Output, from);
            let what = "other bytes are sent than were recorded";
            if let Err(divergence) = replaying.turns.check(thread.id(), value, what) {
                let outcome = Outcome::Diverged {
                    divergence,
                    observed_at: place::text(from),
                    stack: vec![],
                };
                ending::finish(replaying.progress(), &outcome);
            }
            replaying.done(thread);
        }
        None => {
            serial::check_output(thread, from, value);
            log();
        }
    }
}

/// As in an output event: 32 bits of a hash, and the number of bytes.
fn digest(pieces: &[&[u8]]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0x0123_4567_89ab_cdef_u64;
    let mut length = 0u64;
    // Where one piece ends and the next begins makes no difference.
    let mut word = [0u8; 8];
    for &piece in pieces {
        for &byte in piece {
            word[length as usize % 8] = byte;
            length += 1;
            if length.is_multiple_of(8) {
                hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
                hash ^= hash >> 29;
                word = [0; 8];
            }
        }
    }
    hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
    (hash >> 32) << 32 | length & 0xffff_ffff
}
