//! Which memory is ordered: at level `sync` what programs synchronize with, at level `access` all that threads may share.

use crate::classfile::Field;
use crate::hooks::{self, JdkMemory};
use reweave_runtime::session::Level;

const VOLATILE: u16 = 0x0040;
const FINAL: u16 = 0x0010;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scope {
    /// Whether plain fields and array elements are ordered too.
    pub plain: bool,
}

impl Scope {
    pub fn of(level: Level) -> Scope {
        Scope {
            plain: level == Level::Access,
        }
    }

    /// What of a JDK class's memory is ordered.
    pub fn of_jdk_class(self, name: &str) -> Option<JdkMemory> {
        match hooks::memory_of_jdk_class(name) {
            Some(memory) => Some(memory),
            None if self.plain => hooks::plain_memory_of_jdk_class(name),
            None => None,
        }
    }

    /// Whether accesses to this field of that class are ordered. Final fields do not change once others can see them, unless a constructor gives its object away.
    pub fn orders(self, class: &str, field: &Field<'_>) -> bool {
        if field.name.starts_with(b"$rw") || field.flags & FINAL != 0 {
            return false;
        }
        match hooks::is_jdk_name(class) {
            true => self.of_jdk_class(class).is_some_and(|memory| {
                !memory.volatile_only
                    || field.flags & VOLATILE != 0
                    || hooks::is_not_guarded(class, field.name)
            }),
            false => self.plain || field.flags & VOLATILE != 0,
        }
    }

    /// Whether fields of the class of that name may be ordered.
    pub fn concerns(self, class: &[u8]) -> bool {
        std::str::from_utf8(class)
            .is_ok_and(|class| !hooks::is_jdk_name(class) || self.of_jdk_class(class).is_some())
    }
}
