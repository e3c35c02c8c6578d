//! Takes the place of the native methods of `Runtime`, which are bound before a renamed native method could be found.

use crate::jvm::Jni;
use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jlong, jmethodID, jobject, jvalue};
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The native methods, in the order in which `ReweaveRuntime.java` numbers them.
const NAMES: [&CStr; 4] = [
    c"Java_java_lang_Runtime_availableProcessors",
    c"Java_java_lang_Runtime_maxMemory",
    c"Java_java_lang_Runtime_freeMemory",
    c"Java_java_lang_Runtime_totalMemory",
];

static ORIGINAL: [AtomicPtr<c_void>; 4] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; NAMES.len()];
/// The helper's method, once the helper is awake.
static HELPER: OnceLock<Helper> = OnceLock::new();

struct Helper {
    class: jclass,
    method: jmethodID,
}

// SAFETY: a global reference and a method id may be used by every thread.
unsafe impl Send for Helper {}
// SAFETY: as above.
unsafe impl Sync for Helper {}

/// A native method with this symbol is being bound: what is to be called instead, if it is one of these.
pub fn replacement(symbol: &CStr, function: *mut c_void) -> Option<*mut c_void> {
    let which = NAMES.iter().position(|name| *name == symbol)?;
    ORIGINAL[which].store(function, Ordering::Release);
    Some(match which {
        0 => processors as *mut c_void,
        1 => max_memory as *mut c_void,
        2 => free_memory as *mut c_void,
        _ => total_memory as *mut c_void,
    })
}

/// From now on the helper is asked.
pub fn wake(jni: Jni) {
    if let Some(class) = jni.find_class(c"java/lang/ReweaveRuntime")
        && let Some(method) = jni.static_method(class, c"figure", c"(I)J")
    {
        let class = jni.global(class);
        let _ = HELPER.set(Helper { class, method });
    }
}

fn ask(env: *mut JNIEnv, this: jobject, which: usize) -> jlong {
    match HELPER.get() {
        // SAFETY: the VM passes the calling thread's environment; the method takes a number.
        Some(helper) => unsafe {
            let number = jvalue { i: which as jint };
            Jni::new(env).call_static_long(helper.class, helper.method, &[number])
        },
        None => original(env, this, which),
    }
}

fn original(env: *mut JNIEnv, this: jobject, which: usize) -> jlong {
    type ForInt = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;
    type ForLong = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jlong;
    let function = ORIGINAL[which].load(Ordering::Acquire);
    if function.is_null() {
        return 0;
    }
    // SAFETY: the JDK's own functions for this purpose, of these types; they use neither argument but to get at the VM.
    unsafe {
        match which {
            0 => jlong::from(std::mem::transmute::<*mut c_void, ForInt>(function)(
                env, this,
            )),
            _ => std::mem::transmute::<*mut c_void, ForLong>(function)(env, this),
        }
    }
}

unsafe extern "system" fn processors(env: *mut JNIEnv, this: jobject) -> jint {
    ask(env, this, 0) as jint
}

unsafe extern "system" fn max_memory(env: *mut JNIEnv, this: jobject) -> jlong {
    ask(env, this, 1)
}

unsafe extern "system" fn free_memory(env: *mut JNIEnv, this: jobject) -> jlong {
    ask(env, this, 2)
}

unsafe extern "system" fn total_memory(env: *mut JNIEnv, this: jobject) -> jlong {
    ask(env, this, 3)
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveRuntime_original(
    env: *mut JNIEnv,
    _class: jclass,
    which: jint,
) -> jlong {
    match usize::try_from(which) {
        // Bound when somebody first asks; the helper is only asked then.
        Ok(which) if which < NAMES.len() => original(env, std::ptr::null_mut(), which),
        _ => 0,
    }
}
