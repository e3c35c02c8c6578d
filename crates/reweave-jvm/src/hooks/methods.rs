//! Methods of the JDK that are changed: what is called instead of them, before them, or with their result.

use super::forms::{around, entry, exit, quiet, redirect, redirect_in, result};
use super::{CLASS_VALUE, FILE_SYSTEM_PROVIDER, QUIET, REFERENCE_QUEUE, THREAD, VIRTUAL_THREAD};
use crate::classfile::plan::{Around, MethodAction, MethodHook};

/// Classes of the JDK whose methods are hooked one by one.
pub const METHODS: &[(&str, &[MethodHook<'static>])] = &[
    (
        THREAD,
        &[
            entry("start", "()V", "start", THREAD, false),
            entry(
                "start",
                "(Ljdk/internal/vm/ThreadContainer;)V",
                "start",
                THREAD,
                false,
            ),
            entry("exit", "()V", "exit", THREAD, false),
            entry(
                "dispatchUncaughtException",
                "(Ljava/lang/Throwable;)V",
                "uncaught",
                THREAD,
                true,
            ),
            redirect("join", "(J)V", "markedJoin"),
            redirect("join", "(Ljava/time/Duration;)Z", "markedJoinFor"),
            redirect("isAlive", "()Z", "markedAlive"),
            redirect("interrupt", "()V", "markedInterrupt"),
            redirect("isInterrupted", "()Z", "markedIsInterrupted"),
            redirect("interrupted", "()Z", "markedInterrupted"),
            // Numbers for names and ids; newer JDKs have them in the classes below.
            result("nextThreadNum", "()I", "number"),
            result("nextThreadID", "()J", "number"),
        ],
    ),
    (
        // Its array of threads grows with whoever starts one; its locks are not ordered.
        "java/lang/ThreadGroup",
        &[quiet("add"), quiet("remove")],
    ),
    (
        VIRTUAL_THREAD,
        &[
            entry(
                "start",
                "(Ljdk/internal/vm/ThreadContainer;)V",
                "start",
                THREAD,
                false,
            ),
            around("run", "(Ljava/lang/Runnable;)V", VIRTUAL_RUN),
            redirect_in(VIRTUAL_THREAD, "afterDone", "(Z)V", "virtualDone"),
            redirect("interrupt", "()V", "markedInterrupt"),
            redirect("isInterrupted", "()Z", "markedIsInterrupted"),
            // The scheduler is not the program's.
            quiet("<clinit>"),
            quiet("submitRunContinuation"),
            quiet("lazySubmitRunContinuation"),
            quiet("externalSubmitRunContinuation"),
            quiet("externalSubmitRunContinuationOrThrow"),
            quiet("schedule"),
            quiet("cancelTimeoutTask"),
            quiet("unpark"),
            quiet("unblock"),
            quiet("tryYield"),
            quiet("sleepNanos"),
            quiet("joinNanos"),
        ],
    ),
    (
        "java/util/concurrent/ForkJoinWorkerThread",
        &[
            // Looks at the carrier of a virtual thread.
            result("hasKnownQueuedWork", "()Z", "answer"),
            around("hasKnownQueuedWork", "()Z", QUIET),
        ],
    ),
    (
        "java/lang/Class",
        &[
            // Caches that whoever comes first fills, by reflection.
            quiet("getEnumConstantsShared"),
            entry(
                "getEnumConstantsShared",
                "()[Ljava/lang/Object;",
                "touchEnum",
                "java/lang/Class",
                false,
            ),
            quiet("enumConstantDirectory"),
            quiet("reflectionData"),
            quiet("privateGetDeclaredFields"),
            quiet("privateGetDeclaredMethods"),
            quiet("privateGetDeclaredConstructors"),
            quiet("privateGetPublicMethods"),
            quiet("getReflectionFactory"),
            quiet("getPackage"),
            quiet("getSimpleName"),
        ],
    ),
    (
        CLASS_VALUE,
        &[
            MethodHook {
                name: "<init>",
                descriptor: Some("()V"),
                action: MethodAction::Exit {
                    method: "madeClassValue",
                    class: CLASS_VALUE,
                },
            },
            redirect_in(
                CLASS_VALUE,
                "get",
                "(Ljava/lang/Class;)Ljava/lang/Object;",
                "classValue",
            ),
            redirect_in(
                CLASS_VALUE,
                "remove",
                "(Ljava/lang/Class;)V",
                "removeClassValue",
            ),
        ],
    ),
    // Tables that the JDK fills and looks into for itself, some of them under locks that are not ordered.
    (
        "java/lang/System",
        &[
            // The first of the JDK's own code that may use all of java.lang.
            entry("initPhase1", "()V", "starting", "java/lang/System", false),
            quiet("getProperty"),
            quiet("setProperty"),
            quiet("clearProperty"),
            // Secrets in the environment are kept only if they are asked for.
            entry(
                "getenv",
                "(Ljava/lang/String;)Ljava/lang/String;",
                "readVariable",
                "java/lang/System",
                true,
            ),
            entry(
                "getenv",
                "()Ljava/util/Map;",
                "readEnvironment",
                "java/lang/System",
                true,
            ),
        ],
    ),
    (
        "java/lang/ProcessEnvironment",
        &[entry(
            "environment",
            "()Ljava/util/Map;",
            "readEnvironment",
            "java/lang/ProcessEnvironment",
            true,
        )],
    ),
    (
        // It looks at all modules, in the order of their identity hash codes.
        "java/lang/SecurityManager",
        &[quiet("<clinit>"), quiet("addNonExportedPackages")],
    ),
    (
        "java/util/TimeZone",
        &[
            quiet("setDefaultZone"),
            quiet("getDefaultRef"),
            quiet("getTimeZone"),
        ],
    ),
    (
        "java/lang/reflect/Method",
        &[quiet("acquireMethodAccessor")],
    ),
    (
        "java/lang/reflect/Constructor",
        &[quiet("acquireConstructorAccessor")],
    ),
    (
        "java/lang/reflect/Field",
        &[
            quiet("getFieldAccessor"),
            quiet("acquireFieldAccessor"),
            quiet("getOverrideFieldAccessor"),
            quiet("acquireOverrideFieldAccessor"),
        ],
    ),
    (
        "java/lang/Thread$ThreadNumbering",
        &[result("next", "()I", "number")],
    ),
    (
        "java/lang/Thread$ThreadIdentifiers",
        &[result("next", "()J", "number")],
    ),
    (
        "sun/awt/X11/XToolkit",
        // How long to wait for the display: not at all in a replay, where what came from it is in the recording.
        &[result("getNextTaskTime", "()J", "displayWait")],
    ),
    (
        "java/lang/Math",
        &[
            // The generator behind it is made by whoever comes first.
            result("random", "()D", "fraction"),
            around("random", "()D", QUIET),
        ],
    ),
    (
        "java/util/Locale",
        &[
            // Whoever comes first finds out what the user's locale is, from properties.
            quiet("getDisplayLocale"),
            quiet("getFormatLocale"),
            quiet("initDefault"),
        ],
    ),
    (
        "java/util/Random",
        &[
            // The JDK makes generators of its own, which take their turns too.
            result("seedUniquifier", "()J", "number"),
            around("seedUniquifier", "()J", QUIET),
        ],
    ),
    (
        "java/security/SecureRandom",
        &[redirect_in(
            "java/security/SecureRandom",
            "nextBytes",
            "([B)V",
            "randomBytes",
        )],
    ),
    (
        "java/util/concurrent/ThreadLocalRandom",
        &[
            redirect("getProbe", "()I", "probe"),
            redirect("advanceProbe", "(I)I", "advanceProbe"),
            redirect("localInit", "()V", "initProbe"),
            redirect(
                "current",
                "()Ljava/util/concurrent/ThreadLocalRandom;",
                "random",
            ),
            redirect("nextSecondarySeed", "()I", "secondarySeed"),
        ],
    ),
    // Theirs look at the queue without its lock before they split it.
    (
        "java/util/concurrent/LinkedBlockingQueue",
        &[redirect_in(
            "java/util/Collection",
            "spliterator",
            "()Ljava/util/Spliterator;",
            "spliterator",
        )],
    ),
    (
        "java/util/concurrent/LinkedBlockingDeque",
        &[redirect_in(
            "java/util/Collection",
            "spliterator",
            "()Ljava/util/Spliterator;",
            "spliterator",
        )],
    ),
    (
        "java/util/concurrent/atomic/Striped64",
        &[
            redirect("getProbe", "()I", "probe"),
            redirect("advanceProbe", "(I)I", "advanceProbe"),
        ],
    ),
    (
        "java/lang/ApplicationShutdownHooks",
        &[entry(
            "add",
            "(Ljava/lang/Thread;)V",
            "hook",
            "java/lang/ApplicationShutdownHooks",
            true,
        )],
    ),
    (
        "java/lang/Runtime",
        &[
            entry("exit", "(I)V", "halt", "java/lang/Runtime", true),
            entry("halt", "(I)V", "halt", "java/lang/Runtime", true),
        ],
    ),
    (
        "java/io/FileOutputStream",
        &[
            entry("write", "(I)V", "output", "java/io/FileOutputStream", true),
            entry("write", "([B)V", "output", "java/io/FileOutputStream", true),
            entry(
                "write",
                "([BII)V",
                "output",
                "java/io/FileOutputStream",
                true,
            ),
            around("write", "(I)V", OUTPUT),
            around("write", "([B)V", OUTPUT),
            around("write", "([BII)V", OUTPUT),
        ],
    ),
    (
        "java/lang/ProcessImpl",
        &[
            MethodHook {
                name: "start",
                descriptor: None,
                action: MethodAction::ReplaceArgument {
                    method: "childCommand",
                    index: 0,
                    descriptor: "[Ljava/lang/String;",
                },
            },
            // Threads of the JDK outside the recording take part in these.
            quiet("initStreams"),
            quiet("waitFor"),
            quiet("exitValue"),
            quiet("isAlive"),
            quiet("destroy"),
        ],
    ),
    // What the collector has taken, and what it does because of that.
    (
        REFERENCE,
        &[
            redirect_in(REFERENCE, "refersTo", "(Ljava/lang/Object;)Z", "refersTo"),
            result("enqueue", "()Z", "answer"),
            result("isEnqueued", "()Z", "answer"),
        ],
    ),
    (
        "java/lang/ref/WeakReference",
        &[
            exit(OF_OBJECT, "madeReference"),
            exit(OF_OBJECT_AND_QUEUE, "madeReference"),
        ],
    ),
    (
        SOFT_REFERENCE,
        &[
            exit(OF_OBJECT, "madeReference"),
            exit(OF_OBJECT_AND_QUEUE, "madeReference"),
            redirect_in(
                SOFT_REFERENCE,
                "get",
                "()Ljava/lang/Object;",
                "softReferent",
            ),
        ],
    ),
    (
        "java/lang/ref/PhantomReference",
        &[exit(OF_OBJECT_AND_QUEUE, "madeReference")],
    ),
    (
        REFERENCE_QUEUE,
        &[
            MethodHook {
                name: "<init>",
                descriptor: Some("()V"),
                action: MethodAction::Exit {
                    method: "madeQueue",
                    class: REFERENCE_QUEUE,
                },
            },
            redirect_in(
                REFERENCE_QUEUE,
                "poll",
                "()Ljava/lang/ref/Reference;",
                "poll",
            ),
            redirect_in(
                REFERENCE_QUEUE,
                "remove",
                "(J)Ljava/lang/ref/Reference;",
                "remove",
            ),
            redirect_in(
                REFERENCE_QUEUE,
                "remove",
                "()Ljava/lang/ref/Reference;",
                "remove",
            ),
        ],
    ),
    (
        "java/lang/ref/Finalizer",
        &[
            exit(OF_OBJECT, "madeFinalizer"),
            around(
                "runFinalizer",
                "(Ljdk/internal/access/JavaLangAccess;)V",
                FINALIZER,
            ),
            entry(
                "runFinalizer",
                "(Ljdk/internal/access/JavaLangAccess;)V",
                "finalizing",
                REFERENCE,
                false,
            ),
        ],
    ),
    (
        "jdk/internal/ref/PhantomCleanable",
        &[result("isListEmpty", "()Z", "answer")],
    ),
    (
        "jdk/internal/ref/CleanerImpl$CleanableList",
        &[result("isEmpty", "()Z", "answer")],
    ),
    // What the VM calls on whichever thread needs a class or a call site first is not the program's doing.
    (
        "java/lang/ClassLoader",
        &[
            quiet("loadClass"),
            quiet("checkPackageAccess"),
            quiet("findNative"),
            entry(
                "postDefineClass",
                "(Ljava/lang/Class;Ljava/security/ProtectionDomain;)V",
                "defined",
                "java/lang/ClassLoader",
                true,
            ),
        ],
    ),
    (
        "java/lang/invoke/MethodHandleNatives",
        &[
            quiet("linkCallSite"),
            quiet("linkDynamicConstant"),
            quiet("linkMethod"),
            quiet("linkMethodHandleConstant"),
            quiet("findMethodHandleType"),
        ],
    ),
    // Agents in Java see classes when the VM does.
    ("sun/instrument/InstrumentationImpl", &[quiet("transform")]),
    ("java/lang/invoke/VarForm", &[quiet("resolveMemberName")]),
    // Loaded by whoever needs them first, under a lock of the JDK's.
    (FILE_SYSTEM_PROVIDER, &[quiet("installedProviders")]),
    // Kept in the layout by whoever comes first.
    (
        "jdk/internal/foreign/layout/AbstractLayout",
        &[quiet("varHandleInternal")],
    ),
    (
        "java/lang/invoke/MethodHandle",
        &[
            quiet("asType"),
            quiet("bindTo"),
            quiet("asSpreader"),
            quiet("asCollector"),
            quiet("customize"),
        ],
    ),
];

const VIRTUAL_RUN: Around<'static> = Around {
    enter: "virtualBegin",
    leave: "virtualEnd",
};
const FINALIZER: Around<'static> = Around {
    enter: "finalizerEnter",
    leave: "finalizerLeave",
};
pub(super) const REFERENCE: &str = "java/lang/ref/Reference";
const SOFT_REFERENCE: &str = "java/lang/ref/SoftReference";
const OF_OBJECT: &str = "(Ljava/lang/Object;)V";
const OF_OBJECT_AND_QUEUE: &str = "(Ljava/lang/Object;Ljava/lang/ref/ReferenceQueue;)V";
const OUTPUT: Around<'static> = Around {
    enter: "outputBegin",
    leave: "outputEnd",
};

/// User class loaders are called by the VM like the JDK's own.
pub const CLASS_LOADER_METHODS: &[MethodHook<'static>] = &[
    around("loadClass", "(Ljava/lang/String;)Ljava/lang/Class;", QUIET),
    around("loadClass", "(Ljava/lang/String;Z)Ljava/lang/Class;", QUIET),
    around("findClass", "(Ljava/lang/String;)Ljava/lang/Class;", QUIET),
];

/// Static initialisers of the JDK run on whichever thread comes first.
pub const JDK_INITIALISER: MethodHook<'static> = quiet("<clinit>");
