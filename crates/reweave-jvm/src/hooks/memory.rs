//! Which classes of the JDK access memory in ways that are ordered, and by which calls.

use super::{ARRAY_HELPER, UNSAFE_HELPER, call};
use crate::classfile::plan::{ANY_ARRAY, CallHook};
use crate::unordered;
use crate::unsafe_methods::{old_name, unsafe_methods};
use std::collections::HashSet;
use std::sync::OnceLock;

/// What of a JDK class's memory is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JdkMemory {
    /// Array elements that its code accesses without Unsafe.
    pub elements: bool,
    /// Only volatile fields, and no accesses by Unsafe: what else its threads share they share under locks.
    pub volatile_only: bool,
}

/// Classes of the JDK whose accesses to fields are ordered: all but final ones, for some are racy on purpose.
pub fn memory_of_jdk_class(name: &str) -> Option<JdkMemory> {
    let Some(rest) = name.strip_prefix(CONCURRENT) else {
        let ordered = WAIT_OUTSIDE.iter().any(|prefix| name.starts_with(prefix));
        return ordered.then_some(JdkMemory {
            elements: false,
            volatile_only: true,
        });
    };
    // What they touch belongs to the current thread alone.
    if rest.starts_with("ThreadLocalRandom") || rest == "locks/LockSupport" {
        return None;
    }
    if is_guarded(rest) {
        return Some(JdkMemory {
            elements: false,
            volatile_only: true,
        });
    }
    // Arrays of what is shared. Elsewhere arrays are used under a lock, or reached by Unsafe.
    let elements = ["ForkJoinPool", "atomic/", "ConcurrentHashMap", "Exchanger"]
        .iter()
        .any(|class| rest.starts_with(class));
    Some(JdkMemory {
        elements,
        volatile_only: false,
    })
}

/// Whether the class, or the one that it is part of, is among [`GUARDED`].
fn is_guarded(rest: &str) -> bool {
    let outer = rest.split('$').next().unwrap_or(rest);
    GUARDED.contains(&outer)
}

/// Classes of `java.util.concurrent` whose plain fields are used under their locks alone, or handed on through something that is ordered.
pub const GUARDED: &[&str] = &[
    "ArrayBlockingQueue",
    "CyclicBarrier",
    "DelayQueue",
    "LinkedBlockingDeque",
    "LinkedBlockingQueue",
    "PriorityBlockingQueue",
    "ThreadPoolExecutor",
];

/// The exceptions among the fields of those: what a predicate is asked about, which `removeIf` reads without the lock.
pub const NOT_GUARDED: &[(&str, &str)] = &[
    ("LinkedBlockingDeque$Node", "item"),
    ("LinkedBlockingQueue$Node", "item"),
];

/// Whether a plain field of a class of which only volatile ones are ordered is ordered all the same.
pub fn is_not_guarded(class: &str, field: &[u8]) -> bool {
    class.strip_prefix(CONCURRENT).is_some_and(|rest| {
        NOT_GUARDED
            .iter()
            .any(|(of, name)| *of == rest && name.as_bytes() == field)
    })
}

/// Classes of the JDK that programs share without thinking of it: ordered at level `access`, as the program's own classes are.
pub fn plain_memory_of_jdk_class(name: &str) -> Option<JdkMemory> {
    let rest = name.strip_prefix("java/util/")?;
    let outside = PLAIN_OUTSIDE.iter().any(|class| rest.starts_with(class));
    (!outside).then_some(JdkMemory {
        elements: true,
        volatile_only: false,
    })
}

/// What the collector empties, what looks for classes and resources, and what belongs to the current thread alone.
const PLAIN_OUTSIDE: &[&str] = &[
    "WeakHashMap",
    "ResourceBundle",
    "ServiceLoader",
    "concurrent/",
    "jar/",
    "zip/",
];

const CONCURRENT: &str = "java/util/concurrent/";

/// Packages of the JDK whose threads wait for the outside world, and hand to each other what came from there.
pub const WAIT_OUTSIDE: &[&str] = &[
    "java/net/",
    "java/nio/channels/",
    "jdk/internal/net/http/",
    "sun/net/",
    "sun/nio/ch/",
    // The display: one thread takes events from it, another dispatches them.
    "java/awt/",
    "javax/swing/",
    "sun/awt/",
    "sun/java2d/",
];

/// Classes of the JDK whose use of Unsafe is ordered.
pub fn orders_unsafe(name: &str) -> bool {
    memory_of_jdk_class(name).is_some_and(|memory| !memory.volatile_only)
        || name.starts_with("java/lang/invoke/VarHandle")
        || name == "sun/misc/Unsafe"
        || name == SCOPED_MEMORY
}

/// Classes of the JDK that access elements of arrays for others.
pub fn orders_elements(name: &str) -> bool {
    name.starts_with("java/lang/invoke/VarHandle") && name.ends_with("$Array")
}

/// Calls that read or write many elements at once.
pub const ARRAY_CALLS: &[CallHook<'static>] = &[
    CallHook {
        class: Some(ARRAY_HELPER),
        ..call(
            Some("java/lang/System"),
            "arraycopy",
            "(Ljava/lang/Object;ILjava/lang/Object;II)V",
            None,
            "copy",
        )
    },
    CallHook {
        class: Some(ARRAY_HELPER),
        ..call(
            Some(ANY_ARRAY),
            "clone",
            "()Ljava/lang/Object;",
            Some("java/lang/Object"),
            "clone",
        )
    },
];

/// The class behind buffers and memory segments. At level `sync` its plain accesses are left alone, as those to fields are.
pub const SCOPED_MEMORY: &str = "jdk/internal/misc/ScopedMemoryAccess";

/// The calls of Unsafe that access memory.
pub fn unsafe_calls() -> &'static [CallHook<'static>] {
    static CALLS: OnceLock<Vec<CallHook<'static>>> = OnceLock::new();
    CALLS.get_or_init(|| {
        let mut calls = vec![];
        for method in unsafe_methods() {
            if unordered::method(&method.name, method.is_plain()) {
                continue;
            }
            // A few hundred names, for as long as the process lives.
            let descriptor: &'static str = method.descriptor().leak();
            let name: &'static str = method.name.leak();
            let old = old_name(name).map(|old| &*old.leak());
            for called in std::iter::once(name).chain(old) {
                calls.push(CallHook {
                    class: Some(UNSAFE_HELPER),
                    ..call(Some(UNSAFE), called, descriptor, Some(UNSAFE), name)
                });
            }
        }
        calls
    })
}

/// Those of [`unsafe_calls`] that are more than plain reads and writes.
pub fn atomic_unsafe_calls() -> &'static [CallHook<'static>] {
    static CALLS: OnceLock<Vec<CallHook<'static>>> = OnceLock::new();
    CALLS.get_or_init(|| {
        let plain: HashSet<String> = unsafe_methods()
            .into_iter()
            .filter(|method| method.is_plain())
            .map(|method| method.name)
            .collect();
        let mut calls = unsafe_calls().to_vec();
        calls.retain(|call| !plain.contains(call.method));
        calls
    })
}

const UNSAFE: &str = "jdk/internal/misc/Unsafe";
