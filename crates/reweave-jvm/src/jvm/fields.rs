//! The fields that a class declares. Asking JVMTI does not initialise the class, as asking JNI would.

use super::Jvmti;
use jvmti_bindings::sys::jni::jclass;
use jvmti_bindings::sys::jvmti::jvmtiError;

const STATIC: i32 = 0x0008;

pub struct DeclaredField {
    pub name: String,
    /// First letter of its type, as in descriptors.
    pub type_letter: char,
    pub is_static: bool,
}

impl Jvmti {
    pub fn fields(self, class: jclass) -> Vec<DeclaredField> {
        let (mut count, mut fields) = (0, std::ptr::null_mut());
        let f = self.functions();
        let (Some(get), Some(name_of), Some(modifiers_of), Some(free)) = (
            f.GetClassFields,
            f.GetFieldName,
            f.GetFieldModifiers,
            f.Deallocate,
        ) else {
            return vec![];
        };
        let mut found = vec![];
        // SAFETY: a valid class; the VM fills the array, whose entries are read inside its length and which is freed afterwards.
        unsafe {
            if get(self.0, class, &mut count, &mut fields) != jvmtiError::NONE || fields.is_null() {
                return vec![];
            }
            for index in 0..count as usize {
                let field = *fields.add(index);
                let (mut name, mut signature) = (std::ptr::null_mut(), std::ptr::null_mut());
                let (mut modifiers, none) = (0, std::ptr::null_mut());
                let error = name_of(self.0, class, field, &mut name, &mut signature, none);
                if error == jvmtiError::NONE
                    && modifiers_of(self.0, class, field, &mut modifiers) == jvmtiError::NONE
                    && let (Some(name), Some(signature)) =
                        (self.take_text(name), self.take_text(signature))
                {
                    found.push(DeclaredField {
                        name,
                        type_letter: signature.chars().next().unwrap_or('L'),
                        is_static: modifiers & STATIC != 0,
                    });
                }
            }
            free(self.0, fields.cast());
        }
        found
    }

    /// Whether the class itself declares a field of that name.
    pub fn declares(self, class: jclass, field: &str) -> bool {
        self.fields(class).iter().any(|known| known.name == field)
    }
}
