//! A thin face on JNI and JVMTI: only what the agent uses, with results instead of out-parameters.

mod bytes;
mod fields;
mod finalizer;

use jvmti_bindings::sys::jni::{
    JNIEnv, JNINativeInterface_, JNINativeMethod, JavaVM, jclass, jfieldID, jint, jlong, jmethodID,
    jobject, jstring, jvalue,
};
use jvmti_bindings::sys::jvmti::{
    JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_LOAD,
    JVMTI_EVENT_NATIVE_METHOD_BIND, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT,
    JVMTI_EVENT_VM_START, jvmtiCapabilities, jvmtiEnv, jvmtiError, jvmtiEvent, jvmtiEventCallbacks,
    jvmtiFrameInfo, jvmtiInterface_1_, jvmtiMonitorUsage,
};
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

impl Jvmti {
    fn functions(&self) -> &jvmtiInterface_1_ {
        // SAFETY: the environment lives as long as the VM.
        unsafe { &*(*self.0).functions }
    }

    /// Class hooks from the first class on. None of these is a capability that only one agent may have, or that a debugger needs for itself.
    pub fn set_up(self, callbacks: &jvmtiEventCallbacks) -> Result<(), String> {
        let mut capabilities = jvmtiCapabilities::default();
        capabilities.set_can_generate_all_class_hook_events(true);
        capabilities.set_can_generate_early_class_hook_events(true);
        capabilities.set_can_generate_early_vmstart(true);
        capabilities.set_can_get_monitor_info(true);
        capabilities.set_can_generate_native_method_bind_events(true);
        let f = self.functions();
        let missing = || "this JVM lacks a JVMTI function".to_owned();
        let failed = |what: &str, error: jvmtiError| format!("JVMTI: {what}: error {error:?}");
        // SAFETY: the structs live through the calls; the callbacks are functions of this library. The VM copies as much of the
        // callback table as it knows.
        unsafe {
            let error = (f.AddCapabilities.ok_or_else(missing)?)(self.0, &capabilities);
            if error != jvmtiError::NONE {
                return Err(failed("capabilities", error));
            }
            // The table up to and including its 37th entry is the same in all supported JDKs.
            let error = (f.SetEventCallbacks.ok_or_else(missing)?)(self.0, callbacks, 37 * 8);
            if error != jvmtiError::NONE {
                return Err(failed("callbacks", error));
            }
        }
        for event in [
            JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
            JVMTI_EVENT_CLASS_LOAD,
            JVMTI_EVENT_NATIVE_METHOD_BIND,
            JVMTI_EVENT_VM_START,
            JVMTI_EVENT_VM_INIT,
            JVMTI_EVENT_VM_DEATH,
        ] {
            let error = self.enable(event).ok_or_else(missing)?;
            if error != jvmtiError::NONE {
                return Err(failed("events", error));
            }
        }
        Ok(())
    }

    /// From now on the native code of a method whose name starts with `prefix` is also looked for without it. False if this VM cannot do that.
    /// Any number of agents may have prefixes, and a debugger needs none.
    pub fn set_native_method_prefix(self, prefix: &CStr) -> bool {
        let f = self.functions();
        let (Some(add), Some(set)) = (f.AddCapabilities, f.SetNativeMethodPrefix) else {
            return false;
        };
        let mut capabilities = jvmtiCapabilities::default();
        capabilities.set_can_set_native_method_prefix(true);
        // SAFETY: the struct and the C string live through the calls; the VM copies them.
        unsafe {
            add(self.0, &capabilities) == jvmtiError::NONE
                && set(self.0, prefix.as_ptr()) == jvmtiError::NONE
        }
    }

    /// Asks for an event of all threads, whose callback has been set.
    pub fn enable(self, event: jvmtiEvent) -> Option<jvmtiError> {
        let set = self.functions().SetEventNotificationMode?;
        // SAFETY: a valid environment; no thread means all.
        Some(unsafe { set(self.0, JVMTI_ENABLE, event, std::ptr::null_mut()) })
    }

    /// A copy of the bytes in memory that the VM will free.
    pub fn copy(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory: *mut u8 = std::ptr::null_mut();
        // SAFETY: the VM fills the pointer; the copy stays inside what was asked for.
        unsafe {
            let error = (self.functions().Allocate?)(self.0, bytes.len() as jlong, &mut memory);
            if error != jvmtiError::NONE || memory.is_null() {
                return None;
            }
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len());
        }
        Some(memory)
    }

    /// Takes over a C string that the VM allocated.
    ///
    /// # Safety
    /// `text` is null or came from a JVMTI function of this environment.
    unsafe fn take_text(self, text: *mut std::ffi::c_char) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: a C string of the VM's, freed after it was copied.
        unsafe {
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            if let Some(free) = self.functions().Deallocate {
                free(self.0, text.cast());
            }
            Some(copy)
        }
    }

    /// Only before the VM is up.
    pub fn set_system_property(self, name: &CStr, value: &str) {
        let Ok(value) = std::ffi::CString::new(value) else {
            return;
        };
        // SAFETY: C strings, which the VM copies.
        unsafe {
            if let Some(set) = self.functions().SetSystemProperty {
                set(self.0, name.as_ptr(), value.as_ptr());
            }
        }
    }

    pub fn system_property(self, name: &CStr) -> Option<String> {
        let mut value = std::ptr::null_mut();
        // SAFETY: the VM fills the pointer.
        unsafe {
            let error = (self.functions().GetSystemProperty?)(self.0, name.as_ptr(), &mut value);
            if error != jvmtiError::NONE {
                None
            } else {
                self.take_text(value)
            }
        }
    }

    /// Internal name of a class: `java/lang/String`, or a descriptor for arrays.
    pub fn class_name(self, class: jclass) -> Option<String> {
        let mut signature = std::ptr::null_mut();
        // SAFETY: a valid class; the VM fills the pointer.
        let text = unsafe {
            let error = (self.functions().GetClassSignature?)(
                self.0,
                class,
                &mut signature,
                std::ptr::null_mut(),
            );
            if error != jvmtiError::NONE {
                return None;
            }
            self.take_text(signature)?
        };
        Some(
            match text.strip_prefix('L').and_then(|t| t.strip_suffix(';')) {
                Some(name) => name.to_owned(),
                None => text,
            },
        )
    }

    /// What the calling thread is doing, innermost first: `java.lang.Thread.run`. Without lines, for which the VM would have to keep more.
    pub fn stack(self, limit: usize) -> Vec<String> {
        let f = self.functions();
        let (Some(get), Some(name_of), Some(class_of)) =
            (f.GetStackTrace, f.GetMethodName, f.GetMethodDeclaringClass)
        else {
            return vec![];
        };
        // SAFETY: frames are pointers and numbers, for which zero is a value.
        let mut frames: Vec<jvmtiFrameInfo> =
            (0..limit).map(|_| unsafe { std::mem::zeroed() }).collect();
        let mut count = 0;
        let none = std::ptr::null_mut();
        // SAFETY: no thread means the calling one; the VM fills at most `limit` frames, whose methods are alive as they run.
        unsafe {
            let error = get(
                self.0,
                none,
                0,
                limit as jint,
                frames.as_mut_ptr(),
                &mut count,
            );
            if error != jvmtiError::NONE {
                return vec![];
            }
            let name = |frame: &jvmtiFrameInfo| {
                let (mut text, mut class) = (std::ptr::null_mut(), std::ptr::null_mut());
                let found = name_of(
                    self.0,
                    frame.method,
                    &mut text,
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                );
                if found != jvmtiError::NONE
                    || class_of(self.0, frame.method, &mut class) != jvmtiError::NONE
                {
                    return None;
                }
                let class = self.class_name(class)?.replace('/', ".");
                Some(format!("{class}.{}", self.take_text(text)?))
            };
            frames
                .iter()
                .take(count as usize)
                .filter_map(name)
                .collect()
        }
    }

    /// The thread that holds the object's monitor.
    pub fn owner(self, object: jobject) -> Option<jobject> {
        let mut usage = jvmtiMonitorUsage {
            owner: std::ptr::null_mut(),
            entry_count: 0,
            waiter_count: 0,
            waiters: std::ptr::null_mut(),
            notify_waiter_count: 0,
            notify_waiters: std::ptr::null_mut(),
        };
        // SAFETY: a valid reference; the VM fills the struct. Its small arrays are left to the end of the process, which is near.
        let error =
            unsafe { (self.functions().GetObjectMonitorUsage?)(self.0, object, &mut usage) };
        (error == jvmtiError::NONE && !usage.owner.is_null()).then_some(usage.owner)
    }

    /// A copy of the JNI function table, ours to change.
    pub fn jni_table(self) -> Option<*mut JNINativeInterface_> {
        let mut table = std::ptr::null_mut();
        // SAFETY: the VM fills the pointer.
        let error = unsafe { (self.functions().GetJNIFunctionTable?)(self.0, &mut table) };
        (error == jvmtiError::NONE && !table.is_null()).then_some(table)
    }

    pub fn set_jni_table(self, table: *mut JNINativeInterface_) {
        if let Some(set) = self.functions().SetJNIFunctionTable {
            // SAFETY: the table came from jni_table and every entry of it is a function of the right kind.
            unsafe { set(self.0, table) };
        }
    }
}
