//! A thin face on JNI and JVMTI: only what the agent uses, with results instead of out-parameters.

mod bytes;
mod fields;
mod finalizer;
mod tools;

use jvmti_bindings::sys::jni::{
    JNIEnv, JNINativeInterface_, JNINativeMethod, JavaVM, jclass, jfieldID, jint, jmethodID,
    jobject, jstring, jvalue,
};
use jvmti_bindings::sys::jvmti::jvmtiEnv;
use std::ffi::{CStr, CString, c_void};

/// The JNI functions of the calling thread.
#[derive(Clone, Copy)]
pub struct Jni(*mut JNIEnv);

/// The agent's JVMTI environment; may be used by every thread.
#[derive(Clone, Copy)]
pub struct Jvmti(*mut jvmtiEnv);

// SAFETY: JVMTI environments are not bound to a thread.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// A field of a class that is never unloaded; may be used by every thread.
#[derive(Clone, Copy)]
pub struct Field(jfieldID);

// SAFETY: field ids are not bound to a thread.
unsafe impl Send for Field {}
// SAFETY: as above.
unsafe impl Sync for Field {}

/// The VM itself.
#[derive(Clone, Copy)]
pub struct Vm(*mut JavaVM);

// SAFETY: the invocation interface may be used by every thread.
unsafe impl Send for Vm {}
// SAFETY: as above.
unsafe impl Sync for Vm {}

/// The JVMTI version of JDK 11, which all supported JDKs provide.
const JVMTI_VERSION: jint = 0x3000_0000 | 11 << 16;
const JNI_VERSION: jint = 0x0001_0008;

impl Vm {
    /// # Safety
    /// `vm` is the VM that loads this agent.
    pub unsafe fn new(vm: *mut JavaVM) -> Vm {
        Vm(vm)
    }

    pub fn jvmti(self) -> Option<Jvmti> {
        let mut env: *mut c_void = std::ptr::null_mut();
        // SAFETY: the VM is alive and fills the pointer.
        let result = unsafe { ((**self.0).GetEnv)(self.0, &mut env, JVMTI_VERSION) };
        (result == 0 && !env.is_null()).then(|| Jvmti(env.cast()))
    }

    /// Makes the calling native thread known to the VM. For the end of a replay only.
    pub fn attach(self) -> Option<Jni> {
        let mut env: *mut c_void = std::ptr::null_mut();
        // SAFETY: the VM is alive and fills the pointer.
        let result = unsafe {
            match ((**self.0).GetEnv)(self.0, &mut env, JNI_VERSION) {
                0 => 0,
                _ => {
                    ((**self.0).AttachCurrentThreadAsDaemon)(self.0, &mut env, std::ptr::null_mut())
                }
            }
        };
        (result == 0 && !env.is_null()).then(|| Jni(env.cast()))
    }
}

impl Jni {
    /// # Safety
    /// `env` is the calling thread's.
    pub unsafe fn new(env: *mut JNIEnv) -> Jni {
        Jni(env)
    }

    fn functions(&self) -> &JNINativeInterface_ {
        // SAFETY: the environment is the calling thread's, so the table is valid.
        unsafe { &**self.0 }
    }

    pub fn find_class(self, name: &CStr) -> Option<jclass> {
        // SAFETY: a valid environment and a C string.
        let class = unsafe { (self.functions().FindClass)(self.0, name.as_ptr()) };
        self.found(class)
    }

    pub fn static_method(self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<jmethodID> {
        // SAFETY: a valid class reference and C strings.
        let method = unsafe {
            (self.functions().GetStaticMethodID)(self.0, class, name.as_ptr(), descriptor.as_ptr())
        };
        self.clear_exception();
        (!method.is_null()).then_some(method)
    }

    pub fn field(self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<Field> {
        // SAFETY: a valid class reference and C strings.
        let field = unsafe {
            (self.functions().GetFieldID)(self.0, class, name.as_ptr(), descriptor.as_ptr())
        };
        self.clear_exception();
        (!field.is_null()).then_some(Field(field))
    }

    pub fn int_field(self, object: jobject, field: Field) -> jint {
        // SAFETY: the caller got the field from the object's class.
        unsafe { (self.functions().GetIntField)(self.0, object, field.0) }
    }

    /// Calls a static void method; an exception in it is described on standard error and dropped. Returns whether there was none.
    pub fn call_static(self, class: jclass, method: jmethodID, arguments: &[jvalue]) -> bool {
        let f = self.functions();
        // SAFETY: the caller passes arguments that fit the method.
        unsafe {
            (f.CallStaticVoidMethodA)(self.0, class, method, arguments.as_ptr());
            if (f.ExceptionCheck)(self.0) == 0 {
                return true;
            }
            (f.ExceptionDescribe)(self.0);
            (f.ExceptionClear)(self.0);
        }
        false
    }

    /// Calls a static method that returns an int. Exceptions are the caller's, as those of any native method.
    ///
    /// # Safety
    /// The arguments fit the method.
    pub unsafe fn call_static_int(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> jint {
        // SAFETY: as the caller promises.
        unsafe {
            (self.functions().CallStaticIntMethodA)(self.0, class, method, arguments.as_ptr())
        }
    }

    pub fn global(self, object: jobject) -> jobject {
        // SAFETY: a valid reference.
        unsafe { (self.functions().NewGlobalRef)(self.0, object) }
    }

    /// The environment itself.
    pub fn raw(self) -> *mut JNIEnv {
        self.0
    }

    /// Nobody uses this local reference any more.
    pub fn forget(self, object: jobject) {
        // SAFETY: a valid local reference.
        unsafe { (self.functions().DeleteLocalRef)(self.0, object) };
    }

    pub fn class_of(self, object: jobject) -> jclass {
        // SAFETY: a valid reference.
        unsafe { (self.functions().GetObjectClass)(self.0, object) }
    }

    pub fn superclass(self, class: jclass) -> Option<jclass> {
        // SAFETY: a valid class reference.
        let class = unsafe { (self.functions().GetSuperclass)(self.0, class) };
        (!class.is_null()).then_some(class)
    }

    pub fn string(self, text: &str) -> jstring {
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: a C string; names and paths outside ASCII are passed as they are, which the VM accepts.
        unsafe { (self.functions().NewStringUTF)(self.0, text.as_ptr()) }
    }

    pub fn text(self, string: jstring) -> String {
        if string.is_null() {
            return String::new();
        }
        let f = self.functions();
        // SAFETY: a valid string; the characters are copied before they are given back.
        unsafe {
            let chars = (f.GetStringUTFChars)(self.0, string, std::ptr::null_mut());
            if chars.is_null() {
                self.clear_exception();
                return String::new();
            }
            let text = CStr::from_ptr(chars).to_string_lossy().into_owned();
            (f.ReleaseStringUTFChars)(self.0, string, chars);
            text
        }
    }

    /// An array of strings, or null.
    pub fn strings(self, texts: &[String]) -> jobject {
        let Some(class) = self.find_class(c"java/lang/String") else {
            return std::ptr::null_mut();
        };
        let f = self.functions();
        // SAFETY: a valid class, an index inside the array, and valid strings.
        unsafe {
            let array =
                (f.NewObjectArray)(self.0, texts.len() as jint, class, std::ptr::null_mut());
            for (index, text) in texts.iter().enumerate() {
                let text = self.string(text);
                (f.SetObjectArrayElement)(self.0, array, index as jint, text);
                (f.DeleteLocalRef)(self.0, text);
            }
            array
        }
    }

    /// Defines a class of the boot loader, with these native methods.
    pub fn define_class(self, bytes: &[u8], natives: &[JNINativeMethod]) -> bool {
        // SAFETY: the VM copies the bytes; it takes the name from them.
        let class = unsafe {
            (self.functions().DefineClass)(
                self.0,
                std::ptr::null(),
                std::ptr::null_mut(),
                bytes.as_ptr().cast(),
                bytes.len() as jint,
            )
        };
        let defined = self.found(class);
        if let Some(class) = defined {
            let f = self.functions();
            // There are more of them than a thread may keep references without asking.
            // SAFETY: names, descriptors and functions as the class declares them; a local reference that nobody uses any more.
            unsafe {
                if !natives.is_empty() {
                    (f.RegisterNatives)(self.0, class, natives.as_ptr(), natives.len() as jint);
                }
                (f.DeleteLocalRef)(self.0, class);
            }
            self.clear_exception();
        }
        defined.is_some()
    }

    /// Leaves a monitor of the calling thread once; false if it does not hold it.
    pub fn monitor_exit(self, object: jobject) -> bool {
        // SAFETY: a valid reference. The VM checks the owner and raises an exception, which is dropped.
        let result = unsafe { (self.functions().MonitorExit)(self.0, object) };
        !self.clear_exception() && result == 0
    }

    pub fn monitor_enter(self, object: jobject) {
        // SAFETY: a valid reference.
        unsafe { (self.functions().MonitorEnter)(self.0, object) };
    }

    fn found(self, class: jclass) -> Option<jclass> {
        self.clear_exception();
        (!class.is_null()).then_some(class)
    }

    /// Drops a pending exception; whether there was one.
    pub fn clear_exception(self) -> bool {
        let f = self.functions();
        // SAFETY: a valid environment.
        unsafe {
            let pending = (f.ExceptionCheck)(self.0) != 0;
            if pending {
                (f.ExceptionClear)(self.0);
            }
            pending
        }
    }
}
