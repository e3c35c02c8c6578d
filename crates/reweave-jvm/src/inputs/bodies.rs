//! Methods of the JDK with code of their own that are inputs as a whole, or are not made at all.

use super::table::{INPUT, Method};

/// Methods that do more than one thing outside, or do it together with threads of the JDK, and what threads see of each other.
pub const WITH_BODY: &[(&str, &[Method])] = &[
    (
        "java/lang/ProcessImpl",
        &[
            ("waitFor", "()I", INPUT.repeated()),
            ("waitFor", "(JLjava/util/concurrent/TimeUnit;)Z", INPUT),
            ("exitValue", "()I", INPUT),
            ("isAlive", "()Z", INPUT),
            ("pid", "()J", INPUT),
        ],
    ),
    (
        "java/lang/Thread",
        &[
            ("getStackTrace", "()[Ljava/lang/StackTraceElement;", INPUT),
            ("getState", "()Ljava/lang/Thread$State;", INPUT),
            ("activeCount", "()I", INPUT),
        ],
    ),
];

/// Methods that do nothing in either mode. When a process ends, a thread of the JDK takes what is left in its pipes and closes them, whenever it gets there; the
/// program finds the same bytes in the pipes.
pub const NOT_DONE: &[(&str, &str, &str)] = &[
    (
        "java/lang/ProcessImpl$ProcessPipeInputStream",
        "processExited",
        "()V",
    ),
    (
        "java/lang/ProcessImpl$ProcessPipeOutputStream",
        "processExited",
        "()V",
    ),
];
