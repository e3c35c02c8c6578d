//! What a debugger evaluates is not the program's doing. JDWP runs the methods a user invokes through the JNI functions `Call…MethodA` and `NewObjectA`;
//! we put ourselves in front of those and, when the caller is libjdwp, run the call in a quiet section. The caller is recognised by its return address, never
//! by the name of a thread.

use crate::jvm::{Jni, Jvmti};
use jvmti_bindings::sys::jni::{JNIEnv, JNINativeInterface_};
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Entries of the JNI function table, by their index there, which is fixed by the JNI specification.
const SLOTS: usize = 240;
static ORIGINAL: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(0) }; SLOTS];
static HELPER: OnceLock<Helper> = OnceLock::new();

const CALL_STATIC_VOID_METHOD_A: usize = 143;

struct Helper {
    class: usize,
    enter: usize,
    leave: usize,
}

/// Puts the guards in place.
pub fn install(jvmti: Jvmti, jni: Jni) {
    let Some(class) = jni.find_class(c"java/lang/Reweave") else {
        return;
    };
    let (Some(enter), Some(leave)) = (
        jni.static_method(class, c"quietEnter", c"()V"),
        jni.static_method(class, c"quietLeave", c"()V"),
    ) else {
        return;
    };
    let class = jni.global(class);
    let _ = HELPER.set(Helper {
        class: class as usize,
        enter: enter as usize,
        leave: leave as usize,
    });
    let Some(table) = jvmti.jni_table() else {
        return;
    };
    let entries: *mut usize = table.cast();
    for (index, guard) in guards() {
        // SAFETY: the table that GetJNIFunctionTable gave us is ours to change, and the index lies in it.
        unsafe {
            let entry = entries.add(index);
            ORIGINAL[index].store(*entry, Ordering::Release);
            *entry = guard as usize;
        }
    }
    jvmti.set_jni_table(table);
}

/// Whether the code at this address belongs to the debugger's agent in the VM.
fn is_debugger(address: usize) -> bool {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr only looks the address up, and fills the struct it is given.
    let found = unsafe { libc::dladdr(address as *const libc::c_void, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return false;
    }
    // SAFETY: dladdr gave a C string that lives as long as the library is loaded.
    let file = unsafe { CStr::from_ptr(info.dli_fname) };
    file.to_bytes().windows(7).any(|part| part == b"libjdwp")
}

/// Calls a method of the helper with the original function, so that the guard does not meet itself.
fn call_helper(env: *mut JNIEnv, helper: &Helper, method: usize) {
    type Function = unsafe extern "C" fn(*mut JNIEnv, usize, usize, usize);
    let original = ORIGINAL[CALL_STATIC_VOID_METHOD_A].load(Ordering::Acquire);
    // SAFETY: the entry is CallStaticVoidMethodA of this VM; the class is a global reference and the method takes nothing.
    unsafe {
        let function: Function = std::mem::transmute(original);
        function(env, helper.class, method, 0);
    }
}

/// The guard of the function at `INDEX`: the same arguments, and the address its caller will return to.
unsafe extern "C" fn guard<const INDEX: usize, R>(
    env: *mut JNIEnv,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    caller: usize,
) -> R {
    type Function<R> = unsafe extern "C" fn(*mut JNIEnv, usize, usize, usize, usize) -> R;
    // SAFETY: the entry was taken from the VM's table at this index, whose functions take at most these arguments and return R in its register.
    let original: Function<R> =
        unsafe { std::mem::transmute(ORIGINAL[INDEX].load(Ordering::Acquire)) };
    let helper = HELPER.get().filter(|_| is_debugger(caller));
    let Some(helper) = helper else {
        // SAFETY: the caller's own arguments.
        return unsafe { original(env, a, b, c, d) };
    };
    call_helper(env, helper, helper.enter);
    // SAFETY: the caller's own arguments.
    let result = unsafe { original(env, a, b, c, d) };
    // Leaving is a Java call, which must not be made with an exception pending.
    // SAFETY: env is the calling thread's.
    unsafe {
        let functions: &JNINativeInterface_ = &**env;
        let thrown = (functions.ExceptionOccurred)(env);
        if !thrown.is_null() {
            (functions.ExceptionClear)(env);
        }
        call_helper(env, helper, helper.leave);
        if !thrown.is_null() {
            (functions.Throw)(env, thrown);
            (functions.DeleteLocalRef)(env, thrown);
        }
    }
    result
}

/// One naked stub per guarded function: it adds the return address as sixth argument.
macro_rules! guards {
    ($($index:literal $result:ty),* $(,)?) => {
        fn guards() -> Vec<(usize, unsafe extern "C" fn())> {
            vec![$((
                $index,
                {
                    #[unsafe(naked)]
                    unsafe extern "C" fn stub() {
                        core::arch::naked_asm!("mov r9, [rsp]", "jmp {}", sym guard::<$index, $result>)
                    }
                    stub as unsafe extern "C" fn()
                },
            )),*]
        }
    };
}

#[cfg(target_arch = "x86_64")]
guards! {
    // NewObjectA
    30 u64,
    // Call<Type>MethodA: object, boolean, byte, char, short, int, long, float, double, void
    36 u64, 39 u64, 42 u64, 45 u64, 48 u64, 51 u64, 54 u64, 57 f32, 60 f64, 63 u64,
    // CallNonvirtual<Type>MethodA
    66 u64, 69 u64, 72 u64, 75 u64, 78 u64, 81 u64, 84 u64, 87 f32, 90 f64, 93 u64,
    // CallStatic<Type>MethodA
    116 u64, 119 u64, 122 u64, 125 u64, 128 u64, 131 u64, 134 u64, 137 f32, 140 f64, 143 u64,
}

/// On other processors evaluations in a debugger may consume events; `docs/limits.md` says so.
#[cfg(not(target_arch = "x86_64"))]
fn guards() -> Vec<(usize, unsafe extern "C" fn())> {
    vec![]
}
