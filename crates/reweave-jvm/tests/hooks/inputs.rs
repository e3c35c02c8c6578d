//! Every native method through which a JDK may reach the outside world is in the list of inputs, or is known not to be one. All JDKs beside the default one are asked.

use super::java;
use reweave_jvm::classfile::{self, Method};
use reweave_jvm::helper_classes;
use reweave_jvm::hooks::{NATIVE_HELPER, UNCOVERED_HELPER};
use reweave_jvm::inputs::{HELPER, beans, table};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where native methods reach outside.
const PACKAGES: &[&str] = &[
    "java/io/",
    "java/net/",
    "java/nio/",
    "java/lang/Process",
    "java/lang/Runtime",
    "com/sun/management/internal/",
    "java/util/TimeZone",
    "jdk/internal/io/",
    "sun/management/",
    "sun/net/",
    "sun/nio/",
];

/// They set the JDK up or say what it was built with; what they say is the same in every run on the same JDK.
const SET_UP: &[&str] = &[
    "init",
    "init0",
    "initIDs",
    "initNative",
    "initProto",
    "registerNatives",
];
const CONSTANTS: &[(&str, &str)] = &[
    ("java/nio/", "isLoaded0"),
    ("java/nio/", "load0"),
    ("java/nio/", "unload0"),
    ("sun/nio/ch/", "AFINET"),
    ("sun/nio/ch/", "AFINET6"),
    ("sun/nio/ch/", "allocationGranularity0"),
    ("sun/nio/ch/", "canIPv6SocketJoinIPv4Group0"),
    ("sun/nio/ch/", "canJoin6WithIPv4Group0"),
    ("sun/nio/ch/", "canTransferToFromOverlappedMap0"),
    ("sun/nio/ch/", "canUseIPv6OptionsWithIPv4LocalAddress0"),
    ("sun/nio/ch/", "dataOffset"),
    ("sun/nio/ch/", "eventSize"),
    ("sun/nio/ch/", "eventsOffset"),
    ("sun/nio/ch/", "fdLimit"),
    ("sun/nio/ch/", "iovMax"),
    ("sun/nio/ch/", "isExclusiveBindAvailable"),
    ("sun/nio/ch/", "maxDirectTransferSize0"),
    ("sun/nio/ch/NativeSocketAddress", ""),
    ("sun/nio/ch/Net", "poll"),
    ("sun/nio/ch/", "shouldSetBothIPv4AndIPv6Options0"),
    ("sun/nio/ch/", "shouldShutdownWriteBeforeClose0"),
    ("sun/nio/ch/", "supportPendingSignals0"),
    ("sun/nio/ch/", "writevMax"),
    ("sun/nio/fs/", "fchmodatNoFollowSupported0"),
    ("sun/nio/fs/", "strerror"),
    ("java/io/ObjectStreamClass", "hasStaticInitializer"),
    ("java/net/AbstractPlain", "isReusePortAvailable0"),
    ("sun/management/VMManagementImpl", "getVersion0"),
    ("com/sun/management/internal/", "initialize"),
    // The beans of the VM's parts, its flags and commands.
    ("sun/management/", "getMemoryManagers0"),
    ("sun/management/", "getMemoryPools0"),
    ("com/sun/management/internal/Flag", ""),
    ("com/sun/management/internal/DiagnosticCommandImpl", "get"),
    (
        "com/sun/management/internal/GcInfoBuilder",
        "getNumGcExtAttributes",
    ),
    (
        "com/sun/management/internal/GcInfoBuilder",
        "fillGcAttributeInfo",
    ),
];

/// Only fields of a descriptor, threads, memory, or how the VM is set.
const INSIDE: &[(&str, &str)] = &[
    ("sun/management/", "is"),
    ("sun/management/", "set"),
    ("sun/management/", "reset"),
    ("sun/management/VMManagementImpl", "getVerbose"),
    (
        "sun/management/VMManagementImpl",
        "initOptionalSupportFields",
    ),
    ("com/sun/management/internal/", "setNotificationEnabled"),
    // Threads as objects: what is made of them is an input.
    ("sun/management/ThreadImpl", "getThreads"),
    ("sun/management/ThreadImpl", "findDeadlockedThreads0"),
    ("sun/management/ThreadImpl", "findMonitorDeadlockedThreads0"),
    ("java/io/FileDescriptor", "getHandle"),
    // Asked for standard input and output only, while the VM starts.
    ("java/io/FileDescriptor", "getAppend"),
    ("sun/nio/ch/IOUtil", "fdVal"),
    ("sun/nio/ch/IOUtil", "setfdVal"),
    ("sun/nio/ch/NativeThread", ""),
    ("sun/nio/ch/", "unmap0"),
];

/// Replaced where they are bound, in `inputs/runtime.rs`; `gc` does nothing that could be seen.
const RUNTIME: &[(&str, &str)] = &[("java/lang/Runtime", "")];

/// Not recorded, and docs/limits.md says so.
const NOT_YET: &[(&str, &str)] = &[
    // Sockets as they were before JDK 13, which a property of the JDK turns on.
    ("java/net/PlainSocketImpl", ""),
    ("java/net/PlainDatagramSocketImpl", ""),
    ("java/net/SocketInputStream", ""),
    ("java/net/SocketOutputStream", ""),
    ("java/net/SocketCleanable", ""),
    ("sun/net/sdp/", ""),
    ("sun/net/spi/", "init"),
    // Asynchronous channels and channels that the process was started with.
    ("sun/nio/ch/UnixAsynchronousSocketChannelImpl", ""),
    ("sun/nio/ch/InheritedChannel", ""),
    // It calls back into Java for each lock that it finds.
    ("sun/management/ThreadImpl", "dumpThreads0"),
    // The last collection in detail, heap dumps, what diagnostic commands print.
    (
        "com/sun/management/internal/GcInfoBuilder",
        "getLastGcInfo0",
    ),
    ("com/sun/management/internal/HotSpotDiagnostic", "dumpHeap0"),
    (
        "com/sun/management/internal/DiagnosticCommandImpl",
        "executeDiagnosticCommand",
    ),
    // Watched directories.
    ("sun/nio/fs/LinuxWatchService", ""),
    // By threads of the JDK, outside the recording.
    ("java/lang/ProcessHandleImpl", "waitForProcessExit0"),
];

fn is_in(list: &[(&str, &str)], class: &str, name: &str) -> bool {
    list.iter()
        .any(|(prefix, method)| class.starts_with(prefix) && name.starts_with(method))
}

fn natives(java: &Path) -> Vec<(String, String, String)> {
    let mut command = Command::new(java);
    let output = java::succeed(command.arg(java::sources().join("NativeMethods.java")));
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').map(str::to_owned);
            Some((words.next()?, words.next()?, words.next()?))
        })
        .filter(|(class, ..)| PACKAGES.iter().any(|package| class.starts_with(package)))
        .collect()
}

/// `java` of the default JDK and of those beside it that are not too old.
fn jdks() -> Vec<PathBuf> {
    let home = java::home().canonicalize().expect("a JDK");
    let mut homes = BTreeSet::from([home.clone()]);
    for entry in home.parent().into_iter().flat_map(Path::read_dir).flatten() {
        let other = entry.expect("readable").path();
        let release = std::fs::read_to_string(other.join("release")).unwrap_or_default();
        let major = release
            .lines()
            .find_map(|line| line.strip_prefix("JAVA_VERSION=\""))
            .and_then(|version| version.split(['.', '"']).next()?.parse::<u32>().ok());
        if major.is_some_and(|major| major >= 17) && other.join("bin/java").is_file() {
            homes.extend(other.canonicalize());
        }
    }
    homes.iter().map(|home| home.join("bin/java")).collect()
}

#[test]
fn natives_that_reach_outside_are_in_the_list() {
    let mut found = BTreeSet::new();
    for java in jdks() {
        let natives = natives(&java);
        assert!(natives.len() > 100, "{}: {natives:?}", java.display());
        let unknown: Vec<_> = natives
            .iter()
            .filter(|(class, name, descriptor)| {
                let listed = [table::NATIVES, beans::NATIVES]
                    .concat()
                    .iter()
                    .filter(|(listed, _)| listed == class)
                    .flat_map(|(_, methods)| methods.iter())
                    .any(|method| method.0 == name && method.1 == descriptor);
                let known = SET_UP.contains(&name.as_str())
                    || [CONSTANTS, INSIDE, RUNTIME, NOT_YET]
                        .iter()
                        .any(|list| is_in(list, class, name));
                !listed && !known
            })
            .collect();
        assert!(unknown.is_empty(), "{}: {unknown:#?}", java.display());
        found.extend(natives);
    }
    // Ours may not have every JDK for which an entry was made.
    if jdks().len() > 1 {
        let outside = |class: &str| !PACKAGES.iter().any(|package| class.starts_with(package));
        let all = [table::NATIVES, beans::NATIVES].concat();
        for (class, methods) in all.into_iter().filter(|(class, _)| !outside(class)) {
            for (name, descriptor, _) in methods {
                let entry = (class.to_string(), name.to_string(), descriptor.to_string());
                assert!(found.contains(&entry), "no JDK has {entry:?}");
            }
        }
    }
}

/// What the rewritten methods call.
#[test]
fn both_helpers_have_what_they_need() {
    let record = [
        ("on", "(I)Z"),
        ("begin", "([Ljava/lang/Object;II)Z"),
        ("gave", "(J[Ljava/lang/Object;II)V"),
        ("gave", "(Ljava/lang/Object;[Ljava/lang/Object;II)V"),
        ("threw", "(Ljava/lang/Throwable;[Ljava/lang/Object;II)V"),
    ];
    let replay = [
        ("on", "(I)Z"),
        ("begin", "([Ljava/lang/Object;II)Z"),
        ("really", "([Ljava/lang/Object;I)Z"),
        ("did", "(J[Ljava/lang/Object;I)V"),
        ("did", "(Ljava/lang/Object;[Ljava/lang/Object;I)V"),
        ("fed", "([Ljava/lang/Object;II)J"),
        ("fedObject", "([Ljava/lang/Object;II)Ljava/lang/Object;"),
    ];
    let sides = [
        (helper_classes::RECORD, &record[..]),
        (helper_classes::REPLAY, &replay[..]),
    ];
    for (classes, needed) in sides {
        for name in [HELPER, NATIVE_HELPER, UNCOVERED_HELPER] {
            let helper = classes
                .iter()
                .find(|class| classfile::peek(class).is_ok_and(|summary| summary.name == name))
                .expect("the helper");
            let methods: Vec<Method<'_>> = classfile::methods(helper).expect("a class file");
            // It is initialised when much of the JDK is not yet.
            assert!(!methods.iter().any(|method| method.name == "<clinit>"));
            for (name, descriptor) in needed {
                let has =
                    |method: &Method<'_>| method.name == *name && method.descriptor == *descriptor;
                assert!(methods.iter().any(has), "{name}{descriptor}");
            }
        }
    }
}

/// The two sides of a rule.
#[test]
fn rules_are_taken_apart_as_they_are_put_together() {
    let java = super::read("java/common/java/lang/ReweaveRule.java");
    let number = |name: &str| -> i32 {
        let text = java
            .split([',', ';'])
            .filter_map(|part| part.split_once(" = "))
            .find(|(left, _)| left.rsplit(' ').next() == Some(name))
            .unwrap_or_else(|| panic!("no {name}"))
            .1;
        text.parse().unwrap_or_else(|_| panic!("{name} = {text}"))
    };
    use reweave_jvm::inputs::{Action, Fill, Gives, Key, Rule};
    let rule = Rule {
        action: Action::Input,
        key: Key::None,
        fill: Fill::Nothing,
        gives: Gives::Value,
        repeatable: false,
    };
    assert_eq!(rule.pack(), 0);
    let actions = [
        (Action::Input, "ASK"),
        (Action::Effect, "EFFECT"),
        (Action::Open, "OPEN"),
        (Action::Close, "CLOSE"),
        (Action::Fact, "FACT"),
    ];
    for (action, name) in actions {
        assert_eq!(Rule { action, ..rule }.pack(), number(name) << 16, "{name}");
    }
    let fills = [
        (Fill::Bytes(3), "BYTES"),
        (Fill::Memory(3), "MEMORY"),
        (Fill::Scattered(3), "SCATTERED"),
        (Fill::Polled(3), "POLLED"),
        (Fill::PollArray(3), "POLL_ARRAY"),
        (Fill::Fields(3), "FIELDS"),
        (Fill::Elements(3), "ELEMENTS"),
        (Fill::Accepted(3), "ACCEPTED"),
        (Fill::Received(3), "RECEIVED"),
        (Fill::Mapped(3), "MAPPED"),
    ];
    for (fill, name) in fills {
        assert_eq!(
            rule.filling(fill).pack(),
            number(name) << 8 | 3 << 12,
            "{name}"
        );
    }
    let keys = [
        (Key::Descriptor(2), "KEY_DESCRIPTOR"),
        (Key::Number(2), "KEY_NUMBER"),
        (Key::Path(2), "KEY_PATH"),
        (Key::PathAt(2), "KEY_PATH_AT"),
    ];
    for (key, name) in keys {
        assert_eq!(rule.of(key).pack(), number(name) | 2 << 4, "{name}");
    }
    assert_eq!(rule.of(Key::OfThis).pack(), number("KEY_OF_THIS"));
    let results = [
        (Gives::Number, "NUMBER"),
        (Gives::TwoNumbers, "TWO_NUMBERS"),
        (Gives::OfThis, "OF_THIS"),
        (Gives::Process, "PROCESS"),
    ];
    for (gives, name) in results {
        assert_eq!(rule.giving(gives).pack(), number(name) << 20, "{name}");
    }
    assert_eq!(rule.repeated().pack(), 1 << 23);
}
