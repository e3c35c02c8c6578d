//! The VM's interface for tools, JVMTI.

use super::Jvmti;
use jvmti_bindings::sys::jni::{JNINativeInterface_, jclass, jint, jlong, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_LOAD,
    JVMTI_EVENT_NATIVE_METHOD_BIND, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_VM_INIT,
    JVMTI_EVENT_VM_START, jvmtiCapabilities, jvmtiError, jvmtiEvent, jvmtiEventCallbacks,
    jvmtiFrameInfo, jvmtiInterface_1_, jvmtiMonitorUsage,
};
use std::ffi::CStr;

impl Jvmti {
    pub(super) fn functions(&self) -> &jvmtiInterface_1_ {
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
        // SAFETY: the structs live through the calls; the callbacks are functions of this library, and the VM copies as many as it knows.
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
    pub(super) unsafe fn take_text(self, text: *mut std::ffi::c_char) -> Option<String> {
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
        let frame = |_| -> jvmtiFrameInfo {
            // SAFETY: frames are pointers and numbers, for which zero is a value.
            unsafe { std::mem::zeroed() }
        };
        let mut frames: Vec<jvmtiFrameInfo> = (0..limit).map(frame).collect();
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
        let ask = self.functions().GetObjectMonitorUsage?;
        // SAFETY: a valid reference; the VM fills the struct. Its small arrays are left to the end of the process, which is near.
        let error = unsafe { ask(self.0, object, &mut usage) };
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
