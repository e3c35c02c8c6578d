//! Which process of the recording this is. The first is `0`, the k-th child that it forks or spawns `0.k`, and the program that `0.1` becomes by `exec` is `0.1.0`.
//!
//! A variable of the environment tells the next program of a process who it is: the path, and the number of the process for which that holds, since programs that are started in
//! ways we do not see inherit it as well. It is changed in place, so that it takes the same room in a recording and in its replay.

use crate::sys;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicPtr, Ordering};

pub const VARIABLE: &[u8] = b"REWEAVE_PROCESS=";
/// Bytes of its value.
const LENGTH: usize = 60;
/// In place of a number: whoever finds it.
const ANYBODY: &str = "*";

/// The value in this process's environment.
static VALUE: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

/// This process's path, by its environment. `None`: it was started in a way that we did not see.
///
/// # Safety
/// The list ends with null, its entries are terminated texts that stay and may be written to.
pub unsafe fn read(list: *const *const c_char) -> Option<String> {
    // SAFETY: by the caller.
    let entries = (0..)
        .map(|index| unsafe { *list.add(index) })
        .take_while(|entry| !entry.is_null());
    for entry in entries {
        // SAFETY: by the caller.
        let text = unsafe { CStr::from_ptr(entry) }.to_bytes();
        let Some(value) = text
            .strip_prefix(VARIABLE)
            .filter(|value| value.len() == LENGTH)
        else {
            continue;
        };
        let (path, process) = core::str::from_utf8(value).ok()?.split_once('@')?;
        let process = process.trim_end();
        if process != ANYBODY && process.parse() != Ok(sys::process_number()) {
            return None;
        }
        // SAFETY: inside the entry.
        VALUE.store(
            unsafe { entry.add(VARIABLE.len()) }.cast_mut(),
            Ordering::Relaxed,
        );
        return Some(path.to_owned());
    }
    None
}

/// What the program that this process may become is to find.
pub fn promise(path: &str) {
    let value = VALUE.load(Ordering::Relaxed);
    let text = text(&format!("{path}.0"), &sys::process_number().to_string());
    if !value.is_null() {
        // SAFETY: the value in the environment, which is as long.
        unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), value.cast(), LENGTH) };
    }
}

/// The variable for a child that does not have a number yet.
pub fn entry_for_child(path: &str) -> Vec<u8> {
    let mut entry = VARIABLE.to_vec();
    entry.extend_from_slice(&text(path, ANYBODY));
    entry.push(0);
    entry
}

/// The variable as it is, for an environment that lacks it.
pub fn own_entry(path: &str) -> Vec<u8> {
    let mut entry = VARIABLE.to_vec();
    let number = sys::process_number().to_string();
    entry.extend_from_slice(&text(&format!("{path}.0"), &number));
    entry.push(0);
    entry
}

fn text(path: &str, process: &str) -> Vec<u8> {
    let mut text = format!("{path}@{process}").into_bytes();
    // One that is too long means nobody.
    text.resize(LENGTH, b' ');
    text
}
