//! Calls that go straight to the real function, as if we did not stand in front of it.
//!
//! Those of allocators: which addresses a program gets is not its own doing, allocators decide by addresses when to take which of their locks, and addresses differ in a
//! replay. The locks of libc's allocator are not seen either. And, for tests alone, functions that the command lists because `REWEAVE_TEST_WITHOUT` does: they
//! show that each of them is needed. It must be the same for a recording and its replay.

use crate::order::From;
use crate::{place, real};
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::OnceLock;

/// Libraries that allocate for the program, by the start of their names.
const ALLOCATORS: &[&str] = &["libjemalloc", "libtcmalloc", "libmimalloc", "libhoard"];

/// Whether there is anything to look for.
static ANY: AtomicBool = AtomicBool::new(false);
static NAMES: OnceLock<Vec<String>> = OnceLock::new();
/// Where the code of allocators is.
static RANGES: OnceLock<Vec<(usize, usize)>> = OnceLock::new();

pub fn leave_out(names: &str) {
    let names = names.split(',').map(str::to_owned).collect();
    if NAMES.set(names).is_ok() {
        ANY.store(true, Ordering::Relaxed);
    }
}

/// Finds the allocators among the libraries that are loaded.
pub fn leave_allocators_out() {
    let ranges = place::code_of(|name| ALLOCATORS.iter().any(|known| name.starts_with(known)));
    if !ranges.is_empty() && RANGES.set(ranges).is_ok() {
        ANY.store(true, Ordering::Relaxed);
    }
}

/// Whether something that is no function of libc's is left out.
pub fn is_left_out(name: &str) -> bool {
    NAMES
        .get()
        .is_some_and(|names| names.iter().any(|known| known == name))
}

/// The function behind ours, if this call is none of our business.
#[inline]
pub fn real(slot: &AtomicUsize, name: &CStr, from: From) -> Option<usize> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    let of_an_allocator = RANGES.get().is_some_and(|ranges| {
        ranges
            .iter()
            .any(|(start, end)| (*start..*end).contains(&from))
    });
    (of_an_allocator || named(name)).then(|| real::find(slot, name))
}

fn named(name: &CStr) -> bool {
    NAMES.get().is_some_and(|names| {
        names
            .iter()
            .any(|known| known.as_bytes() == name.to_bytes())
    })
}
