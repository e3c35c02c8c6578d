//! `epoll`. The word that a program attaches to a descriptor is often an address, and those differ in a replay: it gets the one that it attached itself.

use super::{as_errno, negated};
use crate::input::{self, Call};
use crate::order::From;
use crate::real;
use core::ffi::{c_int, c_void};
use libc::{epoll_event, timespec};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Which word of this run stands for a recorded one, by set.
static ATTACHED: Mutex<Option<HashMap<(c_int, u64), u64>>> = Mutex::new(None);

pub fn hold() -> impl Sized {
    ATTACHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn attach(set: c_int, recorded: u64, word: u64) {
    let mut attached = ATTACHED.lock().unwrap_or_else(PoisonError::into_inner);
    attached
        .get_or_insert_default()
        .insert((set, recorded), word);
}

fn attached(set: c_int, recorded: u64) -> u64 {
    let attached = ATTACHED.lock().unwrap_or_else(PoisonError::into_inner);
    let found = attached
        .as_ref()
        .and_then(|words| words.get(&(set, recorded)));
    found.copied().unwrap_or(recorded)
}

const SIZE: usize = core::mem::size_of::<epoll_event>();

unsafe fn wait(
    from: From,
    set: c_int,
    events: *mut epoll_event,
    most: c_int,
    real: impl Fn() -> c_int,
) -> c_int {
    let room = most.max(0) as usize * SIZE;
    let keep = |result: isize| {
        // SAFETY: what the call has filled.
        unsafe { input::slice(events.cast(), (input::as_many(result) * SIZE).min(room)) }.to_vec()
    };
    let feed = |result: isize, bytes: &[u8]| {
        let count = bytes.len().min(room) / SIZE;
        // SAFETY: the program's own room, of which no more than there is.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), events.cast(), count * SIZE);
            for index in 0..count {
                let event = &mut *events.add(index);
                event.u64 = attached(set, event.u64);
            }
        }
        result
    };
    let live = || negated(real() as isize);
    as_errno(input::call(Call::waiting(from, set), live, keep, feed)) as c_int
}

hooks! {
    fn epoll_ctl(set: c_int, operation: c_int, number: c_int, event: *mut epoll_event) -> c_int |from| {
        // SAFETY: the program's own event, if it gave one.
        let word = unsafe { event.as_ref() }.map(|event| event.u64);
        let feed = |result, bytes: &[u8]| {
            if let (Some(word), Ok(recorded)) = (word, <[u8; 8]>::try_from(bytes)) {
                attach(set, u64::from_le_bytes(recorded), word);
            }
            result
        };
        let keep = |_| word.map_or_else(Vec::new, |word| word.to_le_bytes().to_vec());
        // SAFETY: passed on.
        let live = || negated(unsafe { real::epoll_ctl(set, operation, number, event.cast()) } as isize);
        as_errno(input::call(Call::telling(from, set), live, keep, feed)) as c_int
    }

    fn epoll_wait(set: c_int, events: *mut epoll_event, most: c_int, timeout: c_int) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait(from, set, events, most, || real::epoll_wait(set, events.cast(), most, timeout)) }
    }

    fn epoll_pwait(set: c_int, events: *mut epoll_event, most: c_int, timeout: c_int, mask: *const c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait(from, set, events, most, || real::epoll_pwait(set, events.cast(), most, timeout, mask)) }
    }

    fn epoll_pwait2(set: c_int, events: *mut epoll_event, most: c_int, timeout: *const timespec, mask: *const c_void) -> c_int |from| {
        // SAFETY: passed on.
        unsafe { wait(from, set, events, most, || real::epoll_pwait2(set, events.cast(), most, timeout, mask)) }
    }
}
