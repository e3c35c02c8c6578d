//! The lock that stands before the display: ordered as a whole. See `ReweaveDisplay.java`.

use super::call;
use crate::classfile::plan::CallHook;

/// The class that has it, and the only one that calls its methods.
pub const DISPLAY_LOCK_IN: &str = "sun/awt/SunToolkit";

/// The helper that is called instead.
pub const DISPLAY_HELPER: &str = "java/lang/ReweaveDisplay";

const LOCK: &str = "java/util/concurrent/locks/ReentrantLock";
const CONDITION: &str = "java/util/concurrent/locks/Condition";

pub const DISPLAY_CALLS: &[CallHook<'static>] = &[
    of(LOCK, "lock", "()V", "lock"),
    of(LOCK, "unlock", "()V", "unlock"),
    of(LOCK, "isHeldByCurrentThread", "()Z", "isHeld"),
    of(CONDITION, "await", "()V", "await"),
    of(
        CONDITION,
        "await",
        "(JLjava/util/concurrent/TimeUnit;)Z",
        "await",
    ),
    of(CONDITION, "signal", "()V", "signal"),
    of(CONDITION, "signalAll", "()V", "signalAll"),
];

const fn of(
    owner: &'static str,
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> CallHook<'static> {
    CallHook {
        class: Some(DISPLAY_HELPER),
        ..call(Some(owner), name, descriptor, Some(owner), method)
    }
}
