//! For tests alone: functions that are left as if we did not stand in front of them. A test shows with it that each of them is needed.
//!
//! The command passes on what `REWEAVE_TEST_WITHOUT` lists; it must be the same for a recording and its replay.

use crate::real;
use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

static ANY: AtomicBool = AtomicBool::new(false);
static NAMES: OnceLock<Vec<String>> = OnceLock::new();

pub fn leave_out(names: &str) {
    let names = names.split(',').map(str::to_owned).collect();
    if NAMES.set(names).is_ok() {
        ANY.store(true, Ordering::Relaxed);
    }
}

/// Whether something that is no function of libc's is left out.
#[inline]
pub fn is_left_out(name: &str) -> bool {
    ANY.load(Ordering::Relaxed) && named(name)
}

/// The function behind ours, if ours is to do nothing.
#[inline]
pub fn real(name: &CStr) -> Option<usize> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    behind(name)
}

#[cold]
fn behind(name: &CStr) -> Option<usize> {
    named(name.to_str().ok()?).then(|| real::look_up(name))
}

#[cold]
fn named(name: &str) -> bool {
    NAMES
        .get()
        .is_some_and(|names| names.iter().any(|known| known == name))
}
