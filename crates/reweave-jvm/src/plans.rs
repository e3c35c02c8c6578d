//! Decides what happens to a class when it is loaded.

use crate::classfile::Summary;
use crate::classfile::plan::{
    AccessCalls, CallHook, ClassUses, Fields, InputSide, MonitorCalls, NativeCalls, Plan,
};
use crate::hooks;
use crate::inputs;
use crate::scope::Scope;
use crate::unordered;
use reweave_runtime::session::{Mode, Session, glob_matches};
use std::ffi::CStr;

/// When and by whom a class is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By the boot loader, while the VM starts: initialised before the program runs.
    Boot,
    /// By the boot loader later: its initialiser runs on whichever thread needs it first.
    BootLater,
    /// By any other loader.
    Application,
}

/// What is done to the classes of this run.
pub struct Plans {
    scope: Scope,
    monitors: MonitorCalls<'static>,
    outside: Option<MonitorCalls<'static>>,
    class_uses: Option<ClassUses<'static>>,
    /// Set if the VM knows of it.
    native_prefix: Option<&'static str>,
    side: InputSide,
    include: Vec<String>,
    exclude: Vec<String>,
}

/// What is known of memory when a class is loaded.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, and any answers go together"
)]
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    pub fields: &'a dyn Fields,
    /// Whether the class has ordered fields of its own.
    pub has_word: bool,
    /// The class that is called around accesses.
    pub helper: &'static str,
    /// Whether several accesses to one object are ordered together.
    pub merged: bool,
    /// Whether it is the first of its superclasses that may have some, and most of its objects are one thread's alone.
    pub made: bool,
    /// Whether sites say which field they access.
    pub named: bool,
}

impl<'a> Memory<'a> {
    fn calls(self, elements: bool) -> Option<AccessCalls<'a>> {
        (!unordered::fields()).then_some(AccessCalls {
            helper: self.helper,
            fields: self.fields,
            elements: elements && !unordered::elements(),
            made: self.made,
            merged: self.merged,
            named: self.named,
        })
    }
}

const INTERFACE: u16 = 0x0200;

impl Plans {
    /// `native_prefix` is what the VM was told of.
    pub fn new(session: &Session, native_prefix: Option<&'static CStr>) -> Plans {
        let (monitors, outside, class_uses) = match session.mode {
            Mode::Record => (hooks::RECORD_MONITORS, Some(hooks::OUTSIDE_MONITORS), None),
            Mode::Replay(_) => (hooks::REPLAY_MONITORS, None, Some(hooks::CLASS_USES)),
        };
        let side = match session.mode {
            Mode::Record => InputSide::Record,
            Mode::Replay(_) => InputSide::Replay,
        };
        Plans {
            scope: Scope::of(session.level),
            side,
            monitors,
            outside,
            class_uses,
            native_prefix: native_prefix.and_then(|prefix| prefix.to_str().ok()),
            include: session.include.clone(),
            exclude: session.exclude.clone(),
        }
    }

    /// Whether the boot class of this name can be left alone without a look at its bytes.
    pub fn ignores(&self, name: &str, origin: Origin) -> bool {
        if name == "java/lang/Object" || name.starts_with(hooks::HELPER) {
            // Code in Object makes every class look as if it had a finalizer.
            return true;
        }
        origin == Origin::Boot
            && !matches!(name, "java/lang/Thread" | "java/lang/Class")
            && hooks::ordered_jdk_class(name).is_none()
            && !hooks::ORDER_WORD_IN.contains(&name)
            && self.scope.of_jdk_class(name).is_none()
            && !hooks::orders_unsafe(name)
            && !hooks::is_quiet(name)
            && !hooks::TIMED.contains(&name)
            && !hooks::SALTED.contains(&name)
            && !hooks::METHODS.iter().any(|(class, _)| *class == name)
            && inputs::of_class(name, self.side).is_none()
    }

    pub fn is_application(name: &str, origin: Origin) -> bool {
        // Libraries have classes in javax too.
        origin == Origin::Application && (name.starts_with("javax/") || !hooks::is_jdk_name(name))
    }

    /// `calls` are the call hooks, with those of known subclasses of Thread; `memory` says which fields are ordered.
    pub fn plan<'a>(
        &self,
        class: &Summary<'_>,
        origin: Origin,
        calls: &'a [CallHook<'a>],
        memory: Memory<'a>,
    ) -> Plan<'a> {
        let mut plan = Plan {
            helper: hooks::HELPER,
            native_prefix: self.native_prefix,
            ..Plan::default()
        };
        match Plans::is_application(&class.name, origin) {
            true => self.application(class, calls, memory, &mut plan),
            false => self.jdk(class, origin, calls, memory, &mut plan),
        }
        if memory.has_word && !unordered::fields() && class.access_flags & INTERFACE == 0 {
            plan.fields.push(hooks::MEMORY_FIELD);
        }
        plan
    }

    fn application<'a>(
        &self,
        class: &Summary<'_>,
        calls: &'a [CallHook<'a>],
        memory: Memory<'a>,
        plan: &mut Plan<'a>,
    ) {
        if class.access_flags & INTERFACE == 0
            && class.superclass.as_deref().is_none_or(hooks::is_jdk_name)
        {
            plan.fields.push(hooks::ORDER_FIELD);
        }
        if self.excluded(&class.name) {
            plan.monitors = self.outside;
            return;
        }
        plan.monitors = Some(self.monitors);
        plan.calls = calls;
        plan.accesses = memory.calls(self.scope.plain);
        plan.marks = Some(hooks::MARKS);
        plan.natives = Some(NativeCalls {
            helper: hooks::NATIVE_HELPER,
            side: self.side,
        });
        plan.class_uses = self.class_uses;
        plan.initialiser = class.has_initialiser.then_some(hooks::INITIALISER);
        plan.methods.extend_from_slice(hooks::CLASS_LOADER_METHODS);
    }

    fn jdk<'a>(
        &self,
        class: &Summary<'_>,
        origin: Origin,
        calls: &'a [CallHook<'a>],
        memory: Memory<'a>,
        plan: &mut Plan<'a>,
    ) {
        let name: &str = &class.name;
        match name {
            "java/lang/Thread" => plan.fields.extend_from_slice(hooks::THREAD_FIELDS),
            "java/lang/Class" => plan.fields.extend_from_slice(hooks::CLASS_FIELDS),
            hooks::REFERENCE_QUEUE => plan.fields.extend_from_slice(hooks::QUEUE_FIELDS),
            hooks::CLASS_VALUE => plan.fields.extend_from_slice(hooks::CLASS_VALUE_FIELDS),
            _ if hooks::REFERENCES.contains(&name) => {
                plan.fields.extend_from_slice(hooks::REFERENCE_FIELDS);
                if name == "java/lang/ref/WeakReference" {
                    plan.overrides = hooks::WEAK_OVERRIDES;
                }
            }
            _ if hooks::ORDER_WORD_IN.contains(&name) => plan.fields.push(hooks::ORDER_FIELD),
            _ => (),
        }
        for (_, methods) in hooks::METHODS.iter().filter(|(class, _)| *class == name) {
            plan.methods.extend_from_slice(methods);
        }
        if !unordered::fields() {
            for (_, methods) in hooks::LOCK_METHODS.iter().filter(|(of, _)| *of == name) {
                plan.methods.extend_from_slice(methods);
            }
        }
        plan.inputs = inputs::of_class(name, self.side);
        let uncovered = hooks::UNCOVERED.iter().any(|part| name.starts_with(part));
        plan.natives = (uncovered && plan.inputs.is_none()).then_some(NativeCalls {
            helper: hooks::UNCOVERED_HELPER,
            side: self.side,
        });
        if let Some(methods) = hooks::ordered_jdk_class(name) {
            plan.monitors = Some(self.monitors);
            plan.monitor_methods = methods;
            if methods.is_empty() {
                plan.calls = calls;
                plan.marks = Some(hooks::MARKS);
            }
        }
        if hooks::TIMED.contains(&name) {
            plan.calls = hooks::TIME_CALLS;
        }
        if name == hooks::VIRTUAL_THREAD {
            plan.calls = hooks::VIRTUAL_CALLS;
        }
        if hooks::SALTED.contains(&name) {
            plan.calls = hooks::SALT_CALLS;
        }
        if hooks::is_quiet(name) {
            plan.every_method = Some(hooks::QUIET);
        }
        if let Some(own) = self.scope.of_jdk_class(name) {
            plan.monitors = Some(self.monitors);
            if !hooks::SALTED.contains(&name) {
                plan.calls = calls;
            }
            plan.accesses = memory.calls(own.elements);
        } else if hooks::orders_unsafe(name) {
            plan.calls = match name {
                hooks::SCOPED_MEMORY if !self.scope.plain => hooks::atomic_unsafe_calls(),
                _ => hooks::unsafe_calls(),
            };
            plan.accesses = hooks::orders_elements(name)
                .then(|| memory.calls(true))
                .flatten();
        }
        // Of the classes that are there when the program starts, some are initialised later.
        let late = origin != Origin::Boot
            || hooks::is_quiet(name)
            || self.scope.of_jdk_class(name).is_some();
        if late && class.has_initialiser {
            plan.methods.push(hooks::JDK_INITIALISER);
        }
    }

    fn excluded(&self, name: &str) -> bool {
        let matches = |patterns: &[String]| patterns.iter().any(|p| glob_matches(p, name));
        matches(&self.exclude) || !self.include.is_empty() && !matches(&self.include)
    }
}

#[cfg(test)]
mod tests;
