//! Byte arrays and long results, for what comes in from outside.

use super::Jni;
use jvmti_bindings::sys::jni::{jbyteArray, jclass, jint, jlong, jmethodID, jvalue};

impl Jni {
    /// Copies a part of a byte array, as much as there is place for.
    pub fn get_bytes(self, array: jbyteArray, from: jint, place: &mut [u8]) {
        // SAFETY: a valid array; the VM checks the range, and the place has as many bytes.
        unsafe {
            (self.functions().GetByteArrayRegion)(
                self.0,
                array,
                from,
                place.len() as jint,
                place.as_mut_ptr().cast(),
            );
        }
        self.clear_exception();
    }

    pub fn set_bytes(self, array: jbyteArray, from: jint, bytes: &[u8]) {
        // SAFETY: a valid array; the VM checks the range.
        unsafe {
            (self.functions().SetByteArrayRegion)(
                self.0,
                array,
                from,
                bytes.len() as jint,
                bytes.as_ptr().cast(),
            );
        }
        self.clear_exception();
    }

    /// A new byte array; null if there is no memory for it, with the VM's exception pending.
    pub fn byte_array(self, bytes: &[u8]) -> jbyteArray {
        // SAFETY: a valid environment.
        let array = unsafe { (self.functions().NewByteArray)(self.0, bytes.len() as jint) };
        if !array.is_null() {
            self.set_bytes(array, 0, bytes);
        }
        array
    }

    /// Like [`Jni::call_static_int`], for a method that returns a long.
    ///
    /// # Safety
    /// The arguments fit the method.
    pub unsafe fn call_static_long(
        self,
        class: jclass,
        method: jmethodID,
        arguments: &[jvalue],
    ) -> jlong {
        // SAFETY: as the caller promises.
        unsafe {
            (self.functions().CallStaticLongMethodA)(self.0, class, method, arguments.as_ptr())
        }
    }
}
