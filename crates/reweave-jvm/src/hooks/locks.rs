//! Methods of locks in which one access to memory stands for all that they make. See `ReweaveLocks.java`.

use super::forms::hook;
use crate::classfile::plan::{MethodAction, MethodHook};

/// The helper that makes it.
pub const LOCK_HELPER: &str = "java/lang/ReweaveLocks";

const SYNCHRONIZER: &str = "java/util/concurrent/locks/AbstractQueuedSynchronizer";

/// Classes of the JDK that no program can extend: what they do with their state is known.
pub const LOCK_METHODS: &[(&str, &[MethodHook<'static>])] = &[
    (
        "java/util/concurrent/locks/ReentrantLock$Sync",
        &[
            of("tryLock", "()Z", "take"),
            of("tryRelease", "(I)Z", "release"),
            of("isHeldExclusively", "()Z", "isHeld"),
        ],
    ),
    (
        "java/util/concurrent/locks/ReentrantLock$NonfairSync",
        &[
            of("initialTryLock", "()Z", "take"),
            of("tryAcquire", "(I)Z", "takeFree"),
        ],
    ),
    (
        "java/util/concurrent/ThreadPoolExecutor$Worker",
        &[
            of("tryAcquire", "(I)Z", "takeWorker"),
            of("tryRelease", "(I)Z", "releaseWorker"),
        ],
    ),
    (
        "java/util/concurrent/CountDownLatch$Sync",
        &[of("tryReleaseShared", "(I)Z", "countOne")],
    ),
];

const fn of(
    name: &'static str,
    descriptor: &'static str,
    method: &'static str,
) -> MethodHook<'static> {
    let action = MethodAction::Shortcut {
        helper: LOCK_HELPER,
        method,
        class: SYNCHRONIZER,
    };
    hook(name, descriptor, action)
}
