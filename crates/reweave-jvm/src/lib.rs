//! The JVM front end: a JVMTI agent that rewrites classes, and a helper class in java.lang that the rewritten classes call.
//!
//! - [`classfile`]: bytes in, bytes out. Knows no JVM.
//! - [`hooks`], [`plans`]: the one list of what is hooked, and what follows for a class.
//! - [`agent`]: the phases of the VM. [`record`], [`replay`]: what the helper's natives do. [`debugger`]: what a debugger evaluates is not the program.
//! - `java/`: the helper. Its recording fast path never comes here: it stores events into mapped memory.

pub mod agent;
mod class_finder;
pub mod classfile;
mod debugger;
mod ending;
mod fields;
mod hash;
pub mod helper_classes;
pub mod hooks;
pub mod inputs;
mod jvm;
mod launch;
mod launchers;
mod observe;
pub mod plans;
mod record;
mod replay;
mod scope;
mod unordered;
#[doc(hidden)]
pub mod unsafe_methods;

use jvm::Vm;
use jvmti_bindings::sys::jni::{JavaVM, jint};
use std::ffi::{CStr, c_char, c_void};

/// Called by the JVM before anything else happens in it.
///
/// # Safety
/// For the JVM to call.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *const c_char,
    _reserved: *mut c_void,
) -> jint {
    // SAFETY: the JVM passes itself and a C string or null.
    let (vm, options) = unsafe {
        let options = if options.is_null() {
            "".into()
        } else {
            CStr::from_ptr(options).to_string_lossy()
        };
        (Vm::new(vm), options)
    };
    match agent::load(vm, &options) {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("reweave: {message}");
            // Any other value ends the JVM before the program starts, so that a run that was to be recorded does not go by unrecorded.
            -1
        }
    }
}
