//! Runs a finalizer as the VM's own thread does.

use super::Jni;
use jvmti_bindings::sys::jni::{jobject, jvalue};

impl Jni {
    /// `finalizer` is a `java.lang.ref.Finalizer`. What its object throws, the JDK catches.
    pub fn run_finalizer(self, finalizer: jobject) {
        let f = self.functions();
        let access_type = c"(Ljdk/internal/access/JavaLangAccess;)V";
        let Some(secrets) = self.find_class(c"jdk/internal/access/SharedSecrets") else {
            return;
        };
        let getter = c"()Ljdk/internal/access/JavaLangAccess;";
        let Some(getter) = self.static_method(secrets, c"getJavaLangAccess", getter) else {
            return;
        };
        // SAFETY: the helper passes a finalizer; the methods take what they are given here. An exception is cleared before the next call.
        unsafe {
            let class = (f.GetObjectClass)(self.0, finalizer);
            let run = (f.GetMethodID)(
                self.0,
                class,
                c"runFinalizer".as_ptr(),
                access_type.as_ptr(),
            );
            self.clear_exception();
            if run.is_null() {
                return;
            }
            let access = (f.CallStaticObjectMethodA)(self.0, secrets, getter, [].as_ptr());
            self.clear_exception();
            (f.CallVoidMethodA)(self.0, finalizer, run, [jvalue { l: access }].as_ptr());
            self.clear_exception();
        }
    }
}
