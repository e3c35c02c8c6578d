//! The one list of what is hooked: which fields are added, which calls are replaced, which methods and classes are changed.
//! The helper classes, the documentation and the stubs of Thread and Class are compared with it by tests.

mod display;
mod forms;
mod locks;
mod memory;
mod methods;

pub use display::{DISPLAY_CALLS, DISPLAY_HELPER, DISPLAY_LOCK_IN};
pub use locks::{LOCK_HELPER, LOCK_METHODS};
pub use memory::{
    ARRAY_CALLS, GUARDED, JdkMemory, NOT_GUARDED, SCOPED_MEMORY, WAIT_OUTSIDE, atomic_unsafe_calls,
    is_not_guarded, memory_of_jdk_class, orders_elements, orders_unsafe, plain_memory_of_jdk_class,
    unsafe_calls,
};
pub use methods::{CLASS_LOADER_METHODS, JDK_INITIALISER, METHODS};

use crate::classfile::plan::{
    Around, CallHook, ClassUses, Marks, MonitorCalls, NewField, Override,
};
use std::ffi::CStr;

pub const HELPER: &str = "java/lang/Reweave";

const SYNTHETIC: u16 = 0x1000;
const PRIVATE: u16 = 0x0002;
const PUBLIC: u16 = 0x0001;
const TRANSIENT: u16 = 0x0080;

/// Name of the order word added to application classes: the link of the last event on the object.
pub const ORDER_WORD: &str = "$rw";

/// Put in front of the names of native synchronized methods; see `Plan::native_prefix`.
pub const NATIVE_PREFIX: &CStr = c"$rw$native$";

/// Private and transient, so that serialization does not see it.
pub const ORDER_FIELD: NewField<'static> = NewField {
    flags: PRIVATE | TRANSIENT | SYNTHETIC,
    name: ORDER_WORD,
    descriptor: "J",
};

/// Name of the memory word: who used the object's fields last.
pub const MEMORY_WORD: &str = "$rwm";

/// Added to classes with fields whose accesses are ordered.
pub const MEMORY_FIELD: NewField<'static> = NewField {
    flags: PRIVATE | TRANSIENT | SYNTHETIC,
    name: MEMORY_WORD,
    descriptor: "J",
};

/// The helper that orders accesses.
pub const MEMORY_HELPER: &str = "java/lang/ReweaveMemory";
/// The helper that does so at level `access` while recording.
pub const ACCESS_HELPER: &str = "java/lang/ReweaveAccess";
/// The helper that writes accesses down in a replay that is observed.
pub const OBSERVE_HELPER: &str = "java/lang/ReweaveObserve";
/// The helper for what is done to whole arrays.
pub const ARRAY_HELPER: &str = "java/lang/ReweaveArrays";
/// The helper in front of native methods whose answers vary and are not recorded, and the classes that have such.
pub const UNCOVERED_HELPER: &str = "java/lang/ReweaveUncovered";
pub const UNCOVERED: &[&str] = &[
    "com/sun/management/internal/",
    "sun/management/",
    "sun/nio/ch/AsynchronousChannel",
    "sun/nio/ch/InheritedChannel",
    "sun/nio/fs/LinuxWatchService",
];
/// The helper around native methods of the program.
pub const NATIVE_HELPER: &str = "java/lang/ReweaveNative";
/// The helper that stands between the JDK and its Unsafe.
pub const UNSAFE_HELPER: &str = "java/lang/ReweaveUnsafe";

/// Added to java.lang.Thread; what each is for stands in `java/stubs/java/lang/Thread.java`.
pub const THREAD_FIELDS: &[NewField<'static>] = &[
    field("$rwPos", "J"),
    field("$rwEnd", "J"),
    field("$rwBias", "J"),
    field("$rwSaved", "J"),
    field("$rwSignal", "J"),
    field("$rwExit", "J"),
    field("$rwSlot", "J"),
    field("$rwSeen", "J"),
    field("$rwAsked", "J"),
    field("$rwStream", "I"),
    field("$rwProbe", "I"),
    field("$rwQuiet", "I"),
    field("$rwMark", "I"),
    field("$rwPending", "I"),
    field("$rwCache", "Ljava/lang/Object;"),
    field("$rwFrames", "Ljava/lang/Object;"),
    field("$rwWriting", "Z"),
    // A thread is also an object that programs lock.
    field(ORDER_WORD, "J"),
];

/// Added to references of every kind.
pub const REFERENCE_FIELDS: &[NewField<'static>] = &[
    field("$rwMade", "J"),
    field("$rwHeld", "Ljava/lang/Object;"),
];
/// Which classes those are.
pub const REFERENCES: &[&str] = &[
    "java/lang/ref/WeakReference",
    "java/lang/ref/SoftReference",
    "java/lang/ref/PhantomReference",
    "java/lang/ref/Finalizer",
];
pub const REFERENCE_QUEUE: &str = "java/lang/ref/ReferenceQueue";
pub const QUEUE_FIELDS: &[NewField<'static>] = &[field("$rwFollowed", "Z")];

pub const CLASS_VALUE: &str = "java/lang/ClassValue";
const FILE_SYSTEM_PROVIDER: &str = "java/nio/file/spi/FileSystemProvider";
pub const CLASS_VALUE_FIELDS: &[NewField<'static>] = &[field("$rwValues", "Ljava/lang/Object;")];

/// The VM has code of its own for the method that weak references inherit.
pub const WEAK_OVERRIDES: &[Override<'static>] = &[Override {
    owner: "java/lang/ref/Reference",
    name: "get",
    result: "java/lang/Object",
    method: "weakReferent",
    class: "java/lang/ref/Reference",
}];

/// Added to java.lang.Class.
pub const CLASS_FIELDS: &[NewField<'static>] = &[
    field("$rwInfo", "J"),
    field("$rwTouched", "Z"),
    field("$rwMemory", "J"),
    field("$rwTaken", "I"),
    // Statics are memory of their class.
    field(MEMORY_WORD, "J"),
    field(ORDER_WORD, "J"),
];

const fn field(name: &'static str, descriptor: &'static str) -> NewField<'static> {
    NewField {
        flags: PUBLIC | TRANSIENT | SYNTHETIC,
        name,
        descriptor,
    }
}

pub const RECORD_MONITORS: MonitorCalls<'static> = MonitorCalls {
    before: None,
    after: Some("acquired"),
    leaving: None,
    left: None,
};
pub const REPLAY_MONITORS: MonitorCalls<'static> = MonitorCalls {
    before: Some("acquiring"),
    after: Some("acquired"),
    leaving: Some("releasing"),
    left: Some("released"),
};
/// For classes that the user excluded: what they lock is marked, not ordered.
pub const OUTSIDE_MONITORS: MonitorCalls<'static> = MonitorCalls {
    before: None,
    after: Some("acquiredOutside"),
    leaving: None,
    left: None,
};

pub const INITIALISER: Around<'static> = Around {
    enter: "initialiserEnter",
    leave: "initialiserLeave",
};
pub const QUIET: Around<'static> = Around {
    enter: "quietEnter",
    leave: "quietLeave",
};

const OBJECT: &str = "java/lang/Object";
const THREAD: &str = "java/lang/Thread";
pub const VIRTUAL_THREAD: &str = "java/lang/VirtualThread";
const LOCK_SUPPORT: &str = "java/util/concurrent/locks/LockSupport";
const SYSTEM: &str = "java/lang/System";

/// Calls made by ordered code, on receivers of any class: these methods of Object are final.
pub const OBJECT_CALLS: &[CallHook<'static>] = &[
    call(None, "wait", "()V", Some(OBJECT), "await"),
    call(None, "wait", "(J)V", Some(OBJECT), "await"),
    call(None, "wait", "(JI)V", Some(OBJECT), "awaitFine"),
    call(None, "notify", "()V", Some(OBJECT), "signal"),
    call(None, "notifyAll", "()V", Some(OBJECT), "signalAll"),
    call(Some(SYSTEM), "nanoTime", "()J", None, "nanoTime"),
    call(
        Some(SYSTEM),
        "currentTimeMillis",
        "()J",
        None,
        "currentTimeMillis",
    ),
    call(Some(LOCK_SUPPORT), "park", "()V", None, "park"),
    call(
        Some(LOCK_SUPPORT),
        "park",
        "(Ljava/lang/Object;)V",
        None,
        "park",
    ),
    call(Some(LOCK_SUPPORT), "parkNanos", "(J)V", None, "parkNanos"),
    call(
        Some(LOCK_SUPPORT),
        "parkNanos",
        "(Ljava/lang/Object;J)V",
        None,
        "parkNanos",
    ),
    call(Some(LOCK_SUPPORT), "parkUntil", "(J)V", None, "parkUntil"),
    call(
        Some(LOCK_SUPPORT),
        "parkUntil",
        "(Ljava/lang/Object;J)V",
        None,
        "parkUntil",
    ),
    call(
        Some(LOCK_SUPPORT),
        "unpark",
        "(Ljava/lang/Thread;)V",
        None,
        "unpark",
    ),
];

/// Calls on a Thread. Those made through the name of a subclass that is known already are the same, see [`thread_calls`]; those through a name that may
/// turn out to be a subclass are marked, see [`MARKS`].
const THREAD_CALLS: &[(&str, &str, Option<&str>, &str)] = &[
    ("join", "()V", Some(THREAD), "join"),
    ("join", "(J)V", Some(THREAD), "join"),
    ("join", "(JI)V", Some(THREAD), "joinFine"),
    ("isAlive", "()Z", Some(THREAD), "alive"),
    ("interrupt", "()V", Some(THREAD), "interrupt"),
    ("isInterrupted", "()Z", Some(THREAD), "isInterrupted"),
    ("interrupted", "()Z", None, "interrupted"),
    ("sleep", "(J)V", None, "sleep"),
    ("sleep", "(JI)V", None, "sleepFine"),
    ("sleep", "(Ljava/time/Duration;)V", None, "sleepFor"),
    ("join", "(Ljava/time/Duration;)Z", Some(THREAD), "joinFor"),
];

/// The hooks of calls on `owner`, which is Thread or a subclass of it.
pub fn thread_calls(owner: &str) -> impl Iterator<Item = CallHook<'_>> {
    THREAD_CALLS
        .iter()
        .map(move |&(name, descriptor, receiver, method)| {
            call(Some(owner), name, descriptor, receiver, method)
        })
}

/// Whether a class of this name could be a subclass of Thread, or Thread itself called through `super`.
fn may_be_thread(owner: &[u8]) -> bool {
    owner == THREAD.as_bytes() || std::str::from_utf8(owner).is_ok_and(|name| !is_jdk_name(name))
}

/// The methods of Thread that are redirected (see [`METHODS`]) look for the mark that such a call leaves.
pub const MARKS: Marks<'static> = Marks {
    methods: &[
        ("join", "()V"),
        ("join", "(J)V"),
        ("join", "(JI)V"),
        ("join", "(Ljava/time/Duration;)Z"),
        ("isAlive", "()Z"),
        ("interrupt", "()V"),
        ("isInterrupted", "()Z"),
        ("interrupted", "()Z"),
    ],
    concerns: may_be_thread,
    before: "mark",
    after: "unmark",
};

/// In a replay the thread that ran a static initialiser runs it again; others wait where they would have run it.
pub const CLASS_USES: ClassUses<'static> = ClassUses {
    method: "touch",
    concerns: |name| {
        std::str::from_utf8(name).is_ok_and(|name| !name.starts_with('[') && !is_jdk_name(name))
    },
};

const fn call<'a>(
    owner: Option<&'a str>,
    name: &'a str,
    descriptor: &'a str,
    receiver: Option<&'a str>,
    method: &'a str,
) -> CallHook<'a> {
    CallHook {
        owner,
        name,
        descriptor,
        receiver,
        method,
        class: None,
    }
}

/// Classes of the JDK whose monitors, waits and thread calls are ordered like the program's: what programs share and what they print through.
pub const ORDERED: &[&str] = &[
    "java/util/Vector",
    "java/util/Stack",
    "java/util/Hashtable",
    "java/util/Timer",
    "java/util/TimerThread",
    "java/util/TimerTask",
    "java/util/TaskQueue",
    "java/util/Observable",
    "java/lang/StringBuffer",
    "java/util/concurrent/TimeUnit",
    "sun/nio/cs/StreamEncoder",
    "sun/nio/cs/StreamDecoder",
];
pub const ORDERED_PREFIXES: &[&str] = &[
    "java/io/",
    "java/util/Collections$Synchronized",
    "java/util/Vector$",
    "java/util/Hashtable$",
    "java/util/Timer$",
];

/// Whether the monitors of this JDK class are ordered; `Some` names the methods if only some are.
pub fn ordered_jdk_class(name: &str) -> Option<&'static [&'static str]> {
    if name == "java/lang/Throwable" {
        // It prints under the stream's lock; its other monitors are taken by the VM's own doings.
        return Some(&["printStackTrace"]);
    }
    // The locks of the latter are held while the outside world is waited for.
    let prefixes = || ORDERED_PREFIXES.iter().chain(memory::WAIT_OUTSIDE);
    let ordered = ORDERED.contains(&name) || prefixes().any(|prefix| name.starts_with(prefix));
    ordered.then_some(&[])
}

/// Classes of the JDK that keep tables of their own for whoever comes first; the VM uses them too. Nothing that they do is the program's doing, and they
/// call none of its methods.
pub const QUIET_CLASSES: &[&str] = &[
    "java/lang/invoke/MethodType",
    "java/lang/invoke/MethodTypeForm",
    "java/lang/invoke/MethodHandles",
    "java/lang/invoke/MethodHandles$Lookup",
    "java/lang/invoke/LambdaMetafactory",
    "java/lang/invoke/StringConcatFactory",
    "java/lang/Module",
    // Its keys have identity hashes from before the recording, or from quiet sections.
    "jdk/internal/loader/AbstractClassLoaderValue",
    "jdk/internal/loader/BuiltinClassLoader",
    // The JDK's own classes and resources: class loading reads them as programs do, from one table under one lock.
    "jdk/internal/jimage/ImageReader",
    "jdk/internal/jimage/ImageReader$SharedImageReader",
    "jdk/internal/loader/URLClassPath",
    "jdk/internal/loader/URLClassPath$FileLoader",
    "jdk/internal/loader/URLClassPath$JarLoader",
    "jdk/internal/loader/URLClassPath$Loader",
    "jdk/internal/module/ServicesCatalog",
    "java/time/zone/TzdbZoneRulesProvider",
    "java/time/zone/ZoneRulesProvider",
    "sun/util/calendar/ZoneInfo",
    "sun/util/calendar/ZoneInfoFile",
    "jdk/internal/reflect/ReflectionFactory",
    // After some calls, by whoever makes the last of them.
    "jdk/internal/reflect/MethodAccessorGenerator",
    "jdk/internal/vm/ThreadContainers",
    "java/lang/reflect/Proxy",
    "java/security/Provider",
    "java/security/Provider$Service",
    "sun/security/jca/ProviderConfig",
    "sun/security/jca/ProviderList",
    "sun/security/jca/Providers",
    // The JDK's own loggers, made by whoever has something to say first.
    "jdk/internal/logger/BootstrapLogger",
    "jdk/internal/logger/BootstrapLogger$RedirectedLoggers",
    "jdk/internal/logger/LazyLoggers",
    "jdk/internal/logger/LazyLoggers$LazyLoggerAccessor",
    // What is known of languages, countries and calendars.
    "sun/util/resources/LocaleData",
    "sun/util/resources/Bundles",
    "sun/util/locale/BaseLocale",
    "sun/util/locale/LocaleObjectCache",
    "sun/util/locale/provider/CalendarDataUtility",
    "sun/util/locale/provider/JRELocaleProviderAdapter",
    "sun/util/locale/provider/LocaleProviderAdapter",
    "sun/util/locale/provider/LocaleResources",
    "sun/util/locale/provider/LocaleServiceProviderPool",
    "sun/util/cldr/CLDRLocaleProviderAdapter",
];

/// Classes of the JDK that ask for the time on behalf of the program.
pub const TIMED: &[&str] = &[
    "java/util/Random",
    "java/util/Date",
    "java/util/Calendar",
    "java/util/GregorianCalendar",
    "java/time/Clock",
    "java/time/Clock$SystemClock",
    "sun/util/locale/provider/CalendarProviderImpl",
];

/// What they call.
pub const TIME_CALLS: &[CallHook<'static>] = &[
    call(Some(SYSTEM), "nanoTime", "()J", None, "nanoTime"),
    call(
        Some(SYSTEM),
        "currentTimeMillis",
        "()J",
        None,
        "currentTimeMillis",
    ),
    call(
        Some("jdk/internal/misc/VM"),
        "getNanoTimeAdjustment",
        "(J)J",
        None,
        "timeAdjustment",
    ),
];

/// What a virtual thread calls at its end.
pub const VIRTUAL_CALLS: &[CallHook<'static>] = &[call(
    Some("java/util/concurrent/CountDownLatch"),
    "countDown",
    "()V",
    Some("java/util/concurrent/CountDownLatch"),
    "countDown",
)];

/// Classes that take a number from the time at which they are initialised: the order of immutable sets and maps, the first seed of random generators.
pub const SALTED: &[&str] = &[
    "java/util/ImmutableCollections",
    "jdk/internal/util/random/RandomSupport",
];
pub const SALT_CALLS: &[CallHook<'static>] = &[
    CallHook {
        class: Some("java/lang/ReweaveSalt"),
        ..call(Some(SYSTEM), "nanoTime", "()J", None, "salt")
    },
    CallHook {
        class: Some("java/lang/ReweaveSalt"),
        ..call(Some(SYSTEM), "currentTimeMillis", "()J", None, "otherSalt")
    },
];

/// JDK classes whose instances programs lock often, and which the VM does not know by layout: they get an order word.
pub const ORDER_WORD_IN: &[&str] = &[
    "java/util/Vector",
    "java/util/Hashtable",
    "java/util/Collections$SynchronizedCollection",
    "java/util/Collections$SynchronizedMap",
    "java/util/concurrent/ConcurrentHashMap$Node",
    "java/io/PrintStream",
    "java/io/Writer",
];

/// Whether nothing that this class does is the program's doing. JFR's classes are among those: what it records, and its own threads, follow the clock.
pub fn is_quiet(name: &str) -> bool {
    QUIET_CLASSES.contains(&name) || name.starts_with("jdk/jfr/")
}

pub fn is_jdk_name(name: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
