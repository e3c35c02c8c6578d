//! What the management beans say: processor time, memory, threads, collections. Their native methods are inputs like those of files, and so are their answers that are
//! made of threads.

use super::Fill::Elements;
use super::table::{FACT, INPUT, Method};

/// Most say how much, or how many.
const fn number(name: &'static str) -> Method {
    (name, "()J", INPUT)
}

const fn small(name: &'static str) -> Method {
    (name, "()I", INPUT)
}

const fn load(name: &'static str) -> Method {
    (name, "()D", INPUT)
}

const fn usage(name: &'static str) -> Method {
    (name, "()Ljava/lang/management/MemoryUsage;", INPUT)
}

pub const NATIVES: &[(&str, &[Method])] = &[
    (
        "sun/management/VMManagementImpl",
        &[
            // A debugger's option is not among the recorded ones, and some look for it.
            ("getVmArguments0", "()[Ljava/lang/String;", FACT),
            ("getProcessId", "()I", FACT),
            small("getAvailableProcessors"),
            number("getStartupTime"),
            number("getUptime0"),
            number("getTotalCompileTime"),
            number("getTotalClassCount"),
            number("getUnloadedClassCount"),
            number("getTotalThreadCount"),
            small("getLiveThreadCount"),
            small("getPeakThreadCount"),
            small("getDaemonThreadCount"),
            number("getSafepointCount"),
            number("getTotalSafepointTime"),
            number("getSafepointSyncTime"),
            number("getTotalApplicationNonStoppedTime"),
            number("getLoadedClassSize"),
            number("getUnloadedClassSize"),
            number("getClassLoadingTime"),
            number("getMethodDataSize"),
            number("getInitializedClassCount"),
            number("getClassInitializationTime"),
            number("getClassVerificationTime"),
        ],
    ),
    (
        "sun/management/GarbageCollectorImpl",
        &[number("getCollectionCount"), number("getCollectionTime")],
    ),
    (
        "sun/management/MemoryImpl",
        &[(
            "getMemoryUsage0",
            "(Z)Ljava/lang/management/MemoryUsage;",
            INPUT,
        )],
    ),
    (
        "sun/management/MemoryPoolImpl",
        &[
            usage("getUsage0"),
            usage("getPeakUsage0"),
            usage("getCollectionUsage0"),
        ],
    ),
    (
        "sun/management/ThreadImpl",
        &[
            (
                "getThreadInfo1",
                "([JI[Ljava/lang/management/ThreadInfo;)V",
                INPUT.filling(Elements(2)),
            ),
            ("getThreadTotalCpuTime0", "(J)J", INPUT),
            (
                "getThreadTotalCpuTime1",
                "([J[J)V",
                INPUT.filling(Elements(1)),
            ),
            ("getThreadUserCpuTime0", "(J)J", INPUT),
            (
                "getThreadUserCpuTime1",
                "([J[J)V",
                INPUT.filling(Elements(1)),
            ),
            ("getThreadAllocatedMemory0", "(J)J", INPUT),
            (
                "getThreadAllocatedMemory1",
                "([J[J)V",
                INPUT.filling(Elements(1)),
            ),
            number("getTotalThreadAllocatedMemory"),
        ],
    ),
    (
        "sun/management/HotspotThread",
        &[
            small("getInternalThreadCount"),
            (
                "getInternalThreadTimes0",
                "([Ljava/lang/String;[J)I",
                INPUT.filling(Elements(1)),
            ),
        ],
    ),
    (
        "com/sun/management/internal/OperatingSystemImpl",
        &[
            number("getCommittedVirtualMemorySize0"),
            number("getFreeMemorySize0"),
            number("getFreeSwapSpaceSize0"),
            number("getTotalMemorySize0"),
            number("getTotalSwapSpaceSize0"),
            number("getMaxFileDescriptorCount0"),
            number("getOpenFileDescriptorCount0"),
            number("getProcessCpuTime0"),
            number("getHostTotalCpuTicks0"),
            small("getHostConfiguredCpuCount0"),
            small("getHostOnlineCpuCount0"),
            load("getProcessCpuLoad0"),
            load("getCpuLoad0"),
            ("getSingleCpuLoad0", "(I)D", INPUT),
        ],
    ),
];

/// The native methods behind these give threads, which differ from run to run; their numbers do not.
pub const WITH_BODY: &[(&str, &[Method])] = &[(
    "sun/management/ThreadImpl",
    &[
        ("getAllThreadIds", "()[J", INPUT),
        ("findDeadlockedThreads", "()[J", INPUT),
        ("findMonitorDeadlockedThreads", "()[J", INPUT),
    ],
)];
