//! What the VM tells the agent.

use super::{Work, agent};
use crate::debugger;
use crate::hash;
use crate::helper_classes;
use crate::inputs;
use crate::jvm::Jni;
use crate::plans::Origin;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jobject, jthread};
use jvmti_bindings::sys::jvmti::{jvmtiEnv, jvmtiEventCallbacks};
use std::ffi::CStr;
use std::sync::atomic::Ordering;

/// All of it.
pub fn callbacks() -> jvmtiEventCallbacks {
    let mut callbacks = jvmtiEventCallbacks::default();
    callbacks.ClassFileLoadHook = Some(class_file_load_hook);
    callbacks.ClassLoad = Some(hash::class_load);
    callbacks.NativeMethodBind = Some(hash::native_method_bind);
    callbacks.VMStart = Some(vm_start);
    callbacks.VMInit = Some(vm_init);
    callbacks.VMDeath = Some(vm_death);
    callbacks.ThreadStart = Some(thread_start);
    callbacks
}

unsafe extern "system" fn class_file_load_hook(
    _jvmti: *mut jvmtiEnv,
    _jni: *mut JNIEnv,
    _redefined: jclass,
    loader: jobject,
    name: *const std::ffi::c_char,
    _domain: jobject,
    len: jint,
    data: *const u8,
    new_len: *mut jint,
    new_data: *mut *mut u8,
) {
    let Some(agent) = agent() else { return };
    // SAFETY: the VM passes a C string or null, and the bytes of the class.
    let (name, bytes) = unsafe {
        let name = if name.is_null() {
            ""
        } else {
            CStr::from_ptr(name).to_str().unwrap_or("")
        };
        (name, std::slice::from_raw_parts(data, len as usize))
    };
    let origin = match (loader.is_null(), agent.live.load(Ordering::Relaxed)) {
        (true, false) => Origin::Boot,
        (true, true) => Origin::BootLater,
        (false, _) => Origin::Application,
    };
    if origin == Origin::Boot {
        hash::reads(name);
    }
    // A bug in the rewriter must not take the program down: the class then stays as it is, and the recording says so.
    let result = std::panic::catch_unwind(|| agent.transform(name, origin, bytes));
    let new = result.unwrap_or_else(|_| {
        agent.note(format!(
            "class {name} is not instrumented: internal error in the rewriter"
        ));
        None
    });
    if let Some(new) = new
        && let Some(copy) = agent.jvmti.copy(&new)
    {
        // SAFETY: the VM's out-parameters; it frees the memory, which came from its own allocator.
        unsafe {
            *new_len = new.len() as jint;
            *new_data = copy;
        }
    }
}

/// The earliest moment at which a class can be defined. It must not be initialised yet: much of java.base is not up.
unsafe extern "system" fn vm_start(_jvmti: *mut jvmtiEnv, env: *mut JNIEnv) {
    let Some(agent) = agent() else { return };
    // SAFETY: the VM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    let classes = match agent.work {
        Work::Record(_) => helper_classes::RECORD,
        Work::Replay(_) => helper_classes::REPLAY,
    };
    let salt = match &agent.work {
        Work::Record(_) => hash::random(),
        Work::Replay(replaying) => replaying.salt().unwrap_or_else(hash::random),
    };
    for class in classes {
        let class = hash::with_salt(class, salt);
        let natives = hash::natives_of(&class);
        if !jni.define_class(&class, &natives) {
            eprintln!("reweave: this JVM refused the helper class; nothing is recorded");
        }
    }
}

unsafe extern "system" fn vm_init(_jvmti: *mut jvmtiEnv, env: *mut JNIEnv, _thread: jthread) {
    let Some(agent) = agent() else { return };
    // SAFETY: the VM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    agent.live.store(true, Ordering::Relaxed);
    let options = jni.strings(&agent.child_options());
    match &agent.work {
        Work::Record(recording) => recording.vm_init(agent, jni, options),
        Work::Replay(replaying) => {
            debugger::install(agent.jvmti, jni);
            replaying.vm_init(agent, jni, options);
        }
    }
    hash::wake(jni);
    inputs::runtime::wake(jni);
}

unsafe extern "system" fn thread_start(_jvmti: *mut jvmtiEnv, env: *mut JNIEnv, thread: jthread) {
    let Some(agent) = agent() else { return };
    // SAFETY: the VM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    match &agent.work {
        // Not asked for.
        Work::Record(_) => (),
        Work::Replay(replaying) => replaying.thread_start(jni, thread),
    }
}

unsafe extern "system" fn vm_death(_jvmti: *mut jvmtiEnv, env: *mut JNIEnv) {
    let Some(agent) = agent() else { return };
    // SAFETY: the VM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    match &agent.work {
        Work::Record(recording) => recording.vm_death(jni),
        Work::Replay(replaying) => replaying.vm_death(agent),
    }
}
