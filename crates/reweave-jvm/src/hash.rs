//! Takes the place of the native method behind `Object.hashCode`, so that identity hash codes can be recorded and given back.

use crate::agent::agent;
use crate::classfile;
use crate::inputs::runtime;
use crate::jvm::Jni;
use jvmti_bindings::sys::jni::{
    JNIEnv, JNINativeMethod, jclass, jint, jmethodID, jobject, jthread, jvalue,
};
use jvmti_bindings::sys::jvmti::jvmtiEnv;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

type HashFunction = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;

/// The VM's function.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
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

/// The address of the function in the VM that makes hashes, by which it is recognised when a native method is bound to it.
fn address() -> *mut c_void {
    static ADDRESS: OnceLock<usize> = OnceLock::new();
    function_of_vm(&ADDRESS, c"JVM_IHashCode")
}

/// A function of the VM by its name; null if there is none. Looked for once: hundreds of native methods and classes are compared with it while the VM starts.
fn function_of_vm(known: &OnceLock<usize>, name: &CStr) -> *mut c_void {
    let look_up = || {
        // SAFETY: looks a symbol up in the libraries that are loaded.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.addr()
    };
    *known.get_or_init(look_up) as *mut c_void
}

/// Called by the VM when a native method gets its function.
pub unsafe extern "system" fn native_method_bind(
    _jvmti: *mut jvmtiEnv,
    _jni: *mut JNIEnv,
    _thread: jthread,
    _method: jmethodID,
    function: *mut c_void,
    new_function: *mut *mut c_void,
) {
    let ours = if function.is_null() {
        return;
    } else if function == address() {
        ORIGINAL.store(function, Ordering::Release);
        object_hash as *mut c_void
    } else {
        match symbol(function) {
            Some(name) if name == c"Java_java_lang_System_identityHashCode" => {
                system_hash as *mut c_void
            }
            Some(name) => match runtime::replacement(name, function) {
                Some(ours) => ours,
                None => return,
            },
            None => return,
        }
    };
    // SAFETY: the VM passes a place for the address; ours takes and gives what the VM's does.
    unsafe { *new_function = ours };
}

/// The name of a function in the library it is in: the JDK has those behind `System.identityHashCode` and `Runtime` in one of its own.
fn symbol(function: *mut c_void) -> Option<&'static CStr> {
    // SAFETY: all fields are pointers, for which zero is a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: dladdr only looks the address up, and fills the struct; the name is a C string of a library that is never unloaded, or is not used later.
    unsafe {
        let found = libc::dladdr(function, &mut info) != 0 && !info.dli_sname.is_null();
        found.then(|| CStr::from_ptr(info.dli_sname))
    }
}

/// A number that is different in every run.
pub fn random() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// From now on the helper is asked.
pub fn wake(jni: Jni) {
    if let Some(class) = jni.find_class(c"java/lang/Reweave")
        && let Some(method) = jni.static_method(class, c"hash", c"(Ljava/lang/Object;)I")
    {
        let class = jni.global(class);
        let _ = HELPER.set(Helper { class, method });
    }
}

unsafe extern "system" fn object_hash(env: *mut JNIEnv, object: jobject) -> jint {
    match HELPER.get() {
        // SAFETY: the VM passes the calling thread's environment and a reference.
        Some(helper) => unsafe {
            Jni::new(env).call_static_int(helper.class, helper.method, &[jvalue { l: object }])
        },
        None => original(env, object),
    }
}

unsafe extern "system" fn system_hash(env: *mut JNIEnv, _class: jclass, object: jobject) -> jint {
    if object.is_null() {
        return 0;
    }
    // SAFETY: the arguments are the VM's.
    unsafe { object_hash(env, object) }
}

fn original(env: *mut JNIEnv, object: jobject) -> jint {
    let known = ORIGINAL.load(Ordering::Acquire);
    let function = if known.is_null() { address() } else { known };
    if function.is_null() || object.is_null() {
        return 0;
    }
    // SAFETY: the VM's own function for this purpose, with arguments that came from the VM.
    unsafe { std::mem::transmute::<*mut c_void, HashFunction>(function)(env, object) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveHash_original(
    env: *mut JNIEnv,
    _class: jclass,
    object: jobject,
) -> jint {
    original(env, object)
}

/// The method that names classes, once there is somebody to call it.
static NAMING: OnceLock<Helper> = OnceLock::new();

/// Called by the helper as soon as Java code can run: from now on it is told of every class when that is loaded, before the VM verifies it.
#[unsafe(no_mangle)]
extern "system" fn Java_java_lang_ReweaveHash_watch(env: *mut JNIEnv, class: jclass) {
    // SAFETY: the VM passes the calling thread's environment.
    let jni = unsafe { Jni::new(env) };
    if let Some(method) = jni.static_method(class, c"loaded", c"(Ljava/lang/Class;I)I") {
        let class = jni.global(class);
        let _ = NAMING.set(Helper { class, method });
        wake(jni);
        let mut early = EARLY.lock().unwrap_or_else(PoisonError::into_inner);
        let early = std::mem::take(&mut *early);
        for name in early {
            if let Some(class) = boot_class(jni, &name) {
                install(jni, class, of_name(&name.to_string_lossy()));
                jni.forget(class);
            }
        }
    }
}

type Find = unsafe extern "system" fn(*mut JNIEnv, *const c_char) -> jclass;

/// A class that is loaded already. Unlike JNI's function for this, the VM's own does not initialise it.
fn boot_class(jni: Jni, name: &CStr) -> Option<jclass> {
    static FIND: OnceLock<usize> = OnceLock::new();
    let find = function_of_vm(&FIND, c"JVM_FindClassFromBootLoader");
    if find.is_null() {
        return None;
    }
    // SAFETY: the VM's own function, which takes an environment and a C string.
    let class = unsafe { std::mem::transmute::<*mut c_void, Find>(find)(jni.raw(), name.as_ptr()) };
    jni.clear_exception();
    (!class.is_null()).then_some(class)
}

/// The native methods of the helper class, if it is the one whose methods are ours: they are called before the VM can look for them.
pub fn natives_of(class: &[u8]) -> Vec<JNINativeMethod> {
    let ours = classfile::peek(class).is_ok_and(|class| class.name == "java/lang/ReweaveHash");
    if !ours {
        return vec![];
    }
    let original = Java_java_lang_ReweaveHash_original as *mut c_void;
    let watch = Java_java_lang_ReweaveHash_watch as *mut c_void;
    [
        (c"original", c"(Ljava/lang/Object;)I", original),
        (c"watch", c"()V", watch),
    ]
    .map(|(name, signature, function)| JNINativeMethod {
        name: name.as_ptr(),
        signature: signature.as_ptr(),
        fnPtr: function,
    })
    .into()
}

/// Classes that were loaded before.
static EARLY: Mutex<Vec<CString>> = Mutex::new(Vec::new());

/// A class of the boot loader is read.
pub fn reads(name: &str) {
    if NAMING.get().is_none()
        && let Ok(name) = CString::new(name)
    {
        let mut early = EARLY.lock().unwrap_or_else(PoisonError::into_inner);
        early.push(name);
    }
}

/// Called by the VM.
pub unsafe extern "system" fn class_load(
    _jvmti: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _thread: jthread,
    class: jclass,
) {
    // SAFETY: the VM passes the calling thread's environment.
    name(unsafe { Jni::new(env) }, class);
}

fn name(jni: Jni, class: jclass) {
    if NAMING.get().is_some()
        && let Some(name) = agent().and_then(|agent| agent.jvmti.class_name(class))
    {
        install(jni, class, of_name(&name));
    }
}

fn install(jni: Jni, class: jclass, hash: jint) {
    if let Some(naming) = NAMING.get() {
        let arguments = [jvalue { l: class }, jvalue { i: hash }];
        // SAFETY: the helper's method takes a class and a number.
        unsafe { jni.call_static_int(naming.class, naming.method, &arguments) };
        // Too little stack, at worst: then the VM makes the hash.
        jni.clear_exception();
    }
}

/// The hash that a class of this name gets, as in ReweaveHash.java; here because most classes are loaded before that is compiled.
fn of_name(name: &str) -> jint {
    // The name of a hidden class ends with a number of the run.
    let name = name.split('.').next().unwrap_or_default();
    let text = name.encode_utf16().fold(7i32, |hash, unit| {
        let unit = if unit == u16::from(b'/') {
            b'.'.into()
        } else {
            unit
        };
        hash.wrapping_mul(31).wrapping_add(unit.into())
    });
    let seed = i64::from(text).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) as u64;
    ((seed ^ seed >> 29) as jint & jint::MAX).max(1)
}

/// Puts the number of this run where the helper has a number to be replaced.
pub fn with_salt(class: &[u8], salt: u64) -> Vec<u8> {
    let number = 0x7265_7765_6176_6521u64.to_be_bytes();
    let mut class = class.to_vec();
    if let Some(at) = class.windows(8).position(|bytes| bytes == number) {
        class[at..at + 8].copy_from_slice(&salt.to_be_bytes());
    }
    class
}

#[cfg(test)]
mod tests {
    use super::of_name;

    /// What `ReweaveHash.java` gives.
    #[test]
    fn names_give_the_same_hashes_as_in_java() {
        assert_eq!(of_name("java/util/Locale"), 1_959_065_050);
        assert_eq!(of_name("java/util/BitSet"), 539_995_344);
        assert_eq!(of_name("a/B.0x1234"), of_name("a/B"));
    }
}
