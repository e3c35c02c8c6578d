//! The list: class, method, descriptor, rule. Names differ between JDKs; whatever a JDK does not have is not looked for.
//! A test compares it with the native methods that the JDK has.

use super::{Action, Fill, Gives, Key, Rule};
use Fill::{
    Accepted, Bytes, Elements, Event, Fields, Mapped, Memory, PollArray, Polled, Received,
    Scattered,
};
use Key::{Descriptor, Number, OfThis, Path, PathAt};

/// Name, descriptor, rule.
pub type Method = (&'static str, &'static str, Rule);

const fn rule(action: Action, repeatable: bool) -> Rule {
    Rule {
        action,
        key: Key::None,
        fill: Fill::Nothing,
        gives: Gives::Value,
        repeatable,
    }
}

pub(super) const INPUT: Rule = rule(Action::Input, false);
/// Of files: `--side-effects` repeats it.
const CHANGE: Rule = rule(Action::Effect, true);
/// Of the network.
const EFFECT: Rule = rule(Action::Effect, false);
const OPEN: Rule = rule(Action::Open, true);
const CLOSE: Rule = rule(Action::Close, true);
/// A child that is a JVM is started again, with its own replay.
const PROCESS: Rule = rule(Action::Effect, true);
pub(super) const FACT: Rule = rule(Action::Fact, false);

/// Native methods.
#[rustfmt::skip]
pub const NATIVES: &[(&str, &[Method])] = &[
    (
        "java/io/FileInputStream",
        &[
            ("open0", "(Ljava/lang/String;)V", OPEN.of(Path(1)).giving(Gives::OfThis)),
            ("read0", "()I", INPUT.of(OfThis)),
            ("readBytes", "([BII)I", INPUT.of(OfThis).filling(Bytes(1))),
            ("length0", "()J", INPUT.of(OfThis)),
            ("position0", "()J", INPUT.of(OfThis)),
            ("skip0", "(J)J", INPUT.of(OfThis)),
            ("available0", "()I", INPUT.of(OfThis)),
            ("isRegularFile0", "(Ljava/io/FileDescriptor;)Z", INPUT.of(Descriptor(1))),
        ],
    ),
    (
        "java/io/FileOutputStream",
        &[
            ("open0", "(Ljava/lang/String;Z)V", OPEN.of(Path(1)).giving(Gives::OfThis)),
            ("write", "(IZ)V", CHANGE.of(OfThis)),
            ("writeBytes", "([BIIZ)V", CHANGE.of(OfThis)),
        ],
    ),
    (
        "java/io/RandomAccessFile",
        &[
            ("open0", "(Ljava/lang/String;I)V", OPEN.of(Path(1)).giving(Gives::OfThis)),
            ("read0", "()I", INPUT.of(OfThis)),
            ("readBytes", "([BII)I", INPUT.of(OfThis).filling(Bytes(1))),
            ("readBytes0", "([BII)I", INPUT.of(OfThis).filling(Bytes(1))),
            ("write0", "(I)V", CHANGE.of(OfThis)),
            ("writeBytes", "([BII)V", CHANGE.of(OfThis)),
            ("writeBytes0", "([BII)V", CHANGE.of(OfThis)),
            ("getFilePointer", "()J", INPUT.of(OfThis)),
            ("seek0", "(J)V", CHANGE.of(OfThis)),
            ("length", "()J", INPUT.of(OfThis)),
            ("length0", "()J", INPUT.of(OfThis)),
            ("setLength", "(J)V", CHANGE.of(OfThis)),
            ("setLength0", "(J)V", CHANGE.of(OfThis)),
        ],
    ),
    (
        "java/io/FileDescriptor",
        &[
            ("sync", "()V", CHANGE.of(Descriptor(0))),
            ("sync0", "()V", CHANGE.of(Descriptor(0))),
            ("close0", "()V", CLOSE.of(Descriptor(0))),
        ],
    ),
    (
        "java/io/FileCleanable",
        &[("cleanupClose0", "(IJ)V", CLOSE.of(Number(0)))],
    ),
    (
        "java/io/UnixFileSystem",
        &[
            ("canonicalize0", "(Ljava/lang/String;)Ljava/lang/String;", INPUT),
            ("checkAccess", "(Ljava/io/File;I)Z", INPUT),
            ("checkAccess0", "(Ljava/io/File;I)Z", INPUT),
            ("getBooleanAttributes0", "(Ljava/io/File;)I", INPUT),
            ("getLastModifiedTime", "(Ljava/io/File;)J", INPUT),
            ("getLastModifiedTime0", "(Ljava/io/File;)J", INPUT),
            ("getLength", "(Ljava/io/File;)J", INPUT),
            ("getLength0", "(Ljava/io/File;)J", INPUT),
            ("getNameMax0", "(Ljava/lang/String;)J", INPUT),
            ("getSpace", "(Ljava/io/File;I)J", INPUT),
            ("getSpace0", "(Ljava/io/File;I)J", INPUT),
            ("list", "(Ljava/io/File;)[Ljava/lang/String;", INPUT),
            ("list0", "(Ljava/io/File;)[Ljava/lang/String;", INPUT),
            ("createDirectory", "(Ljava/io/File;)Z", CHANGE),
            ("createDirectory0", "(Ljava/io/File;)Z", CHANGE),
            ("createFileExclusively", "(Ljava/lang/String;)Z", CHANGE),
            ("createFileExclusively0", "(Ljava/lang/String;)Z", CHANGE),
            ("delete0", "(Ljava/io/File;)Z", CHANGE),
            ("rename0", "(Ljava/io/File;Ljava/io/File;)Z", CHANGE),
            ("setLastModifiedTime", "(Ljava/io/File;J)Z", CHANGE),
            ("setLastModifiedTime0", "(Ljava/io/File;J)Z", CHANGE),
            ("setPermission", "(Ljava/io/File;IZZ)Z", CHANGE),
            ("setPermission0", "(Ljava/io/File;IZZ)Z", CHANGE),
            ("setReadOnly", "(Ljava/io/File;)Z", CHANGE),
            ("setReadOnly0", "(Ljava/io/File;)Z", CHANGE),
        ],
    ),
    (
        "java/io/Console",
        &[
            ("echo", "(Z)Z", EFFECT),
            ("encoding", "()Ljava/lang/String;", FACT),
            ("istty", "()Z", FACT),
            ("ttyStatus", "()I", FACT),
        ],
    ),
    ("jdk/internal/io/JdkConsoleImpl", &[("echo", "(Z)Z", EFFECT)]),
    (
        "java/nio/MappedMemoryUtils",
        // What is mapped in a replay is memory without a file.
        &[("force0", "(Ljava/io/FileDescriptor;JJ)V", EFFECT)],
    ),
    (
        // The thread that waits for the display gets its events here, and nowhere else.
        "sun/awt/X11/XlibWrapper",
        &[
            ("XNextEvent", "(JJ)V", INPUT.filling(Event(1))),
            ("XPeekEvent", "(JJ)V", INPUT.filling(Event(1))),
            ("XMaskEvent", "(JJJ)V", INPUT.filling(Event(2))),
            ("XWindowEvent", "(JJJJ)V", INPUT.filling(Event(3))),
            ("XNextSecondaryLoopEvent", "(JJ)Z", INPUT.filling(Event(1))),
            ("XEventsQueued", "(JI)I", INPUT),
            ("XFilterEvent", "(JJ)Z", INPUT),
        ],
    ),
    (
        "sun/nio/ch/FileChannelImpl",
        &[
            ("map0", "(IJJZ)J", INPUT.of(OfThis).filling(Mapped(3))),
            ("transferTo0", "(Ljava/io/FileDescriptor;JJLjava/io/FileDescriptor;)J", CHANGE.of(Descriptor(1))),
        ],
    ),
    (
        "sun/nio/ch/FileDispatcherImpl",
        &[
            ("read0", "(Ljava/io/FileDescriptor;JI)I", INPUT.of(Descriptor(0)).filling(Memory(1))),
            ("pread0", "(Ljava/io/FileDescriptor;JIJ)I", INPUT.of(Descriptor(0)).filling(Memory(1))),
            ("readv0", "(Ljava/io/FileDescriptor;JI)J", INPUT.of(Descriptor(0)).filling(Scattered(1))),
            ("write0", "(Ljava/io/FileDescriptor;JI)I", CHANGE.of(Descriptor(0))),
            ("pwrite0", "(Ljava/io/FileDescriptor;JIJ)I", CHANGE.of(Descriptor(0))),
            ("writev0", "(Ljava/io/FileDescriptor;JI)J", CHANGE.of(Descriptor(0))),
            ("seek0", "(Ljava/io/FileDescriptor;J)J", CHANGE.of(Descriptor(0))),
            ("force0", "(Ljava/io/FileDescriptor;Z)I", CHANGE.of(Descriptor(0))),
            ("truncate0", "(Ljava/io/FileDescriptor;J)I", CHANGE.of(Descriptor(0))),
            ("size0", "(Ljava/io/FileDescriptor;)J", INPUT.of(Descriptor(0))),
            ("lock0", "(Ljava/io/FileDescriptor;ZJJZ)I", EFFECT.of(Descriptor(0))),
            ("release0", "(Ljava/io/FileDescriptor;JJ)V", EFFECT.of(Descriptor(0))),
            ("close0", "(Ljava/io/FileDescriptor;)V", CLOSE.of(Descriptor(0))),
            ("preClose0", "(Ljava/io/FileDescriptor;)V", EFFECT.of(Descriptor(0))),
            ("closeIntFD", "(I)V", CLOSE.of(Number(0))),
            ("dup0", "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;)V", EFFECT.of(Descriptor(0))),
            ("setDirect0", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("transferTo0", "(Ljava/io/FileDescriptor;JJLjava/io/FileDescriptor;Z)J", CHANGE.of(Descriptor(0))),
            ("transferFrom0", "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;JJZ)J", CHANGE.of(Descriptor(0))),
        ],
    ),
    (
        "sun/nio/ch/UnixFileDispatcherImpl",
        &[
            ("read0", "(Ljava/io/FileDescriptor;JI)I", INPUT.of(Descriptor(0)).filling(Memory(1))),
            ("pread0", "(Ljava/io/FileDescriptor;JIJ)I", INPUT.of(Descriptor(0)).filling(Memory(1))),
            ("readv0", "(Ljava/io/FileDescriptor;JI)J", INPUT.of(Descriptor(0)).filling(Scattered(1))),
            ("write0", "(Ljava/io/FileDescriptor;JI)I", CHANGE.of(Descriptor(0))),
            ("pwrite0", "(Ljava/io/FileDescriptor;JIJ)I", CHANGE.of(Descriptor(0))),
            ("writev0", "(Ljava/io/FileDescriptor;JI)J", CHANGE.of(Descriptor(0))),
            ("seek0", "(Ljava/io/FileDescriptor;J)J", CHANGE.of(Descriptor(0))),
            ("force0", "(Ljava/io/FileDescriptor;Z)I", CHANGE.of(Descriptor(0))),
            ("truncate0", "(Ljava/io/FileDescriptor;J)I", CHANGE.of(Descriptor(0))),
            ("size0", "(Ljava/io/FileDescriptor;)J", INPUT.of(Descriptor(0))),
            ("available0", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("isOther0", "(Ljava/io/FileDescriptor;)Z", INPUT.of(Descriptor(0))),
            ("lock0", "(Ljava/io/FileDescriptor;ZJJZ)I", EFFECT.of(Descriptor(0))),
            ("release0", "(Ljava/io/FileDescriptor;JJ)V", EFFECT.of(Descriptor(0))),
            ("closeIntFD", "(I)V", CLOSE.of(Number(0))),
            ("map0", "(Ljava/io/FileDescriptor;IJJZ)J", INPUT.of(Descriptor(0)).filling(Mapped(3))),
            ("setDirect0", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
        ],
    ),
    (
        "sun/nio/ch/UnixDispatcher",
        &[
            ("close0", "(Ljava/io/FileDescriptor;)V", CLOSE.of(Descriptor(0))),
            ("preClose0", "(Ljava/io/FileDescriptor;)V", EFFECT.of(Descriptor(0))),
        ],
    ),
    (
        "sun/nio/ch/FileKey",
        &[
            ("init", "(Ljava/io/FileDescriptor;)V", INPUT.of(Descriptor(1)).filling(Fields(0))),
            ("init", "(Ljava/io/FileDescriptor;[J)V", INPUT.of(Descriptor(0)).filling(Elements(1))),
        ],
    ),
    (
        "sun/nio/ch/SocketDispatcher",
        &[
            ("read0", "(Ljava/io/FileDescriptor;JI)I", INPUT.of(Descriptor(0)).filling(Memory(1))),
            ("readv0", "(Ljava/io/FileDescriptor;JI)J", INPUT.of(Descriptor(0)).filling(Scattered(1))),
            ("write0", "(Ljava/io/FileDescriptor;JI)I", EFFECT.of(Descriptor(0))),
            ("writev0", "(Ljava/io/FileDescriptor;JI)J", EFFECT.of(Descriptor(0))),
        ],
    ),
    (
        "sun/nio/ch/DatagramDispatcher",
        &[
            ("read0", "(Ljava/io/FileDescriptor;JI)I", INPUT.of(Descriptor(0)).filling(Memory(1))),
            ("readv0", "(Ljava/io/FileDescriptor;JI)J", INPUT.of(Descriptor(0)).filling(Scattered(1))),
            ("write0", "(Ljava/io/FileDescriptor;JI)I", EFFECT.of(Descriptor(0))),
            ("writev0", "(Ljava/io/FileDescriptor;JI)J", EFFECT.of(Descriptor(0))),
            ("dup0", "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;)V", EFFECT.of(Descriptor(0))),
        ],
    ),
    (
        "sun/nio/ch/DatagramChannelImpl",
        &[
            ("disconnect0", "(Ljava/io/FileDescriptor;Z)V", EFFECT.of(Descriptor(0))),
            ("receive0", "(Ljava/io/FileDescriptor;JIJZ)I", INPUT.of(Descriptor(0)).filling(Received(1))),
            ("send0", "(Ljava/io/FileDescriptor;JIJI)I", EFFECT.of(Descriptor(0))),
        ],
    ),
    (
        "sun/nio/ch/EPoll",
        &[
            ("create", "()I", EFFECT.giving(Gives::Number)),
            ("ctl", "(IIII)I", EFFECT.of(Number(0))),
            ("wait", "(IJII)I", INPUT.of(Number(0)).filling(Polled(1))),
        ],
    ),
    (
        "sun/nio/ch/PollSelectorImpl",
        &[("poll", "(JII)I", INPUT.filling(PollArray(0)))],
    ),
    (
        "sun/nio/ch/EventFD",
        &[
            ("eventfd0", "()I", EFFECT.giving(Gives::Number)),
            ("set0", "(I)I", EFFECT.of(Number(0))),
        ],
    ),
    (
        "sun/nio/ch/IOUtil",
        &[
            ("configureBlocking", "(Ljava/io/FileDescriptor;Z)V", EFFECT.of(Descriptor(0))),
            ("drain", "(I)Z", INPUT.of(Number(0))),
            ("drain1", "(I)I", INPUT.of(Number(0))),
            ("makePipe", "(Z)J", EFFECT.giving(Gives::TwoNumbers)),
            ("randomBytes", "([B)Z", INPUT.filling(Elements(0))),
            ("write1", "(IB)I", EFFECT.of(Number(0))),
        ],
    ),
    (
        "sun/nio/ch/Net",
        &[
            ("socket0", "(ZZZZ)I", EFFECT.giving(Gives::Number)),
            ("bind0", "(Ljava/io/FileDescriptor;ZZLjava/net/InetAddress;I)V", EFFECT.of(Descriptor(0))),
            ("listen", "(Ljava/io/FileDescriptor;I)V", EFFECT.of(Descriptor(0))),
            ("connect0", "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I", EFFECT.of(Descriptor(1))),
            ("accept", "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;[Ljava/net/InetSocketAddress;)I", INPUT.of(Descriptor(0)).filling(Accepted(1))),
            ("shutdown", "(Ljava/io/FileDescriptor;I)V", EFFECT.of(Descriptor(0))),
            ("localPort", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("localInetAddress", "(Ljava/io/FileDescriptor;)Ljava/net/InetAddress;", INPUT.of(Descriptor(0))),
            ("remotePort", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("remoteInetAddress", "(Ljava/io/FileDescriptor;)Ljava/net/InetAddress;", INPUT.of(Descriptor(0))),
            ("getIntOption0", "(Ljava/io/FileDescriptor;ZII)I", INPUT.of(Descriptor(0))),
            ("setIntOption0", "(Ljava/io/FileDescriptor;ZIIIZ)V", EFFECT.of(Descriptor(0))),
            ("poll", "(Ljava/io/FileDescriptor;IJ)I", INPUT.of(Descriptor(0))),
            ("pollConnect", "(Ljava/io/FileDescriptor;J)Z", INPUT.of(Descriptor(0))),
            ("available", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("sendOOB", "(Ljava/io/FileDescriptor;B)I", EFFECT.of(Descriptor(0))),
            ("discardOOB", "(Ljava/io/FileDescriptor;)Z", INPUT.of(Descriptor(0))),
            ("joinOrDrop4", "(ZLjava/io/FileDescriptor;III)I", EFFECT.of(Descriptor(1))),
            ("joinOrDrop6", "(ZLjava/io/FileDescriptor;[BI[B)I", EFFECT.of(Descriptor(1))),
            ("blockOrUnblock4", "(ZLjava/io/FileDescriptor;III)I", EFFECT.of(Descriptor(1))),
            ("blockOrUnblock6", "(ZLjava/io/FileDescriptor;[BI[B)I", EFFECT.of(Descriptor(1))),
            ("getInterface4", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("getInterface6", "(Ljava/io/FileDescriptor;)I", INPUT.of(Descriptor(0))),
            ("setInterface4", "(Ljava/io/FileDescriptor;I)V", EFFECT.of(Descriptor(0))),
            ("setInterface6", "(Ljava/io/FileDescriptor;I)V", EFFECT.of(Descriptor(0))),
            ("isIPv6Available0", "()Z", FACT),
            ("isReusePortAvailable0", "()Z", FACT),
        ],
    ),
    (
        "sun/nio/ch/UnixDomainSockets",
        &[
            ("socket0", "()I", EFFECT.giving(Gives::Number)),
            ("bind0", "(Ljava/io/FileDescriptor;[B)V", EFFECT.of(Descriptor(0))),
            ("connect0", "(Ljava/io/FileDescriptor;[B)I", EFFECT.of(Descriptor(0))),
            ("accept0", "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;[Ljava/lang/Object;)I", INPUT.of(Descriptor(0)).filling(Accepted(1))),
            ("localAddress0", "(Ljava/io/FileDescriptor;)[B", INPUT.of(Descriptor(0))),
        ],
    ),
    (
        "java/net/Inet4AddressImpl",
        &[
            ("getHostByAddr", "([B)Ljava/lang/String;", INPUT),
            ("getLocalHostName", "()Ljava/lang/String;", FACT),
            ("isReachable0", "([BI[BI)Z", INPUT),
            ("lookupAllHostAddr", "(Ljava/lang/String;)[Ljava/net/InetAddress;", INPUT),
        ],
    ),
    (
        "java/net/Inet6AddressImpl",
        &[
            ("getHostByAddr", "([B)Ljava/lang/String;", INPUT),
            ("getLocalHostName", "()Ljava/lang/String;", FACT),
            ("isReachable0", "([BII[BII)Z", INPUT),
            ("lookupAllHostAddr", "(Ljava/lang/String;)[Ljava/net/InetAddress;", INPUT),
            ("lookupAllHostAddr", "(Ljava/lang/String;I)[Ljava/net/InetAddress;", INPUT),
        ],
    ),
    ("java/net/InetAddressImplFactory", &[("isIPv6Supported", "()Z", FACT)]),
    (
        "java/net/InetAddress",
        &[
            ("isIPv4Available", "()Z", FACT),
            ("isIPv6Supported", "()Z", FACT),
        ],
    ),
    (
        "java/net/NetworkInterface",
        &[
            ("boundInetAddress0", "(Ljava/net/InetAddress;)Z", INPUT),
            ("getAll", "()[Ljava/net/NetworkInterface;", INPUT),
            ("getByIndex0", "(I)Ljava/net/NetworkInterface;", INPUT),
            ("getByInetAddress0", "(Ljava/net/InetAddress;)Ljava/net/NetworkInterface;", INPUT),
            ("getByName0", "(Ljava/lang/String;)Ljava/net/NetworkInterface;", INPUT),
            ("getMTU0", "(Ljava/lang/String;I)I", INPUT),
            ("getMacAddr0", "([BLjava/lang/String;I)[B", INPUT),
            ("isLoopback0", "(Ljava/lang/String;I)Z", INPUT),
            ("isP2P0", "(Ljava/lang/String;I)Z", INPUT),
            ("isUp0", "(Ljava/lang/String;I)Z", INPUT),
            ("supportsMulticast0", "(Ljava/lang/String;I)Z", INPUT),
        ],
    ),
    (
        "sun/net/spi/DefaultProxySelector",
        &[("getSystemProxies", "(Ljava/lang/String;Ljava/lang/String;)[Ljava/net/Proxy;", INPUT)],
    ),
    (
        "sun/net/dns/ResolverConfigurationImpl",
        &[("fallbackDomain0", "()Ljava/lang/String;", INPUT)],
    ),
    (
        "sun/net/PortConfig",
        &[("getLower0", "()I", FACT), ("getUpper0", "()I", FACT)],
    ),
    (
        "sun/nio/fs/UnixNativeDispatcher",
        &[
            ("open0", "(JII)I", OPEN.of(PathAt(0)).giving(Gives::Number)),
            ("openat0", "(IJII)I", OPEN.of(PathAt(1)).giving(Gives::Number)),
            ("close0", "(I)V", CLOSE.of(Number(0))),
            ("dup", "(I)I", EFFECT.of(Number(0)).giving(Gives::Number)),
            ("read", "(IJI)I", INPUT.of(Number(0)).filling(Memory(1))),
            ("read0", "(IJI)I", INPUT.of(Number(0)).filling(Memory(1))),
            ("write", "(IJI)I", CHANGE.of(Number(0))),
            ("write0", "(IJI)I", CHANGE.of(Number(0))),
            ("access0", "(JI)V", INPUT),
            ("access0", "(JI)I", INPUT),
            ("exists0", "(J)Z", INPUT),
            ("stat0", "(JLsun/nio/fs/UnixFileAttributes;)V", INPUT.filling(Fields(1))),
            ("stat0", "(JLsun/nio/fs/UnixFileAttributes;)I", INPUT.filling(Fields(1))),
            ("stat1", "(J)I", INPUT),
            ("lstat0", "(JLsun/nio/fs/UnixFileAttributes;)V", INPUT.filling(Fields(1))),
            ("fstat", "(ILsun/nio/fs/UnixFileAttributes;)V", INPUT.of(Number(0)).filling(Fields(1))),
            ("fstat0", "(ILsun/nio/fs/UnixFileAttributes;)V", INPUT.of(Number(0)).filling(Fields(1))),
            ("fstatat0", "(IJILsun/nio/fs/UnixFileAttributes;)V", INPUT.filling(Fields(3))),
            ("statvfs0", "(JLsun/nio/fs/UnixFileStoreAttributes;)V", INPUT.filling(Fields(1))),
            ("opendir0", "(J)J", INPUT),
            ("fdopendir", "(I)J", INPUT),
            ("readdir", "(J)[B", INPUT),
            ("readdir0", "(J)[B", INPUT),
            ("closedir", "(J)V", INPUT),
            ("rewind", "(J)V", INPUT),
            ("readlink0", "(J)[B", INPUT),
            ("realpath0", "(J)[B", INPUT),
            ("getcwd", "()[B", FACT),
            ("getlinelen", "(J)I", INPUT),
            ("getgrgid", "(I)[B", INPUT),
            ("getgrnam0", "(J)I", INPUT),
            ("getpwnam0", "(J)I", INPUT),
            ("getpwuid", "(I)[B", INPUT),
            ("chmod0", "(JI)V", CHANGE),
            ("fchmod", "(II)V", CHANGE.of(Number(0))),
            ("fchmod0", "(II)V", CHANGE.of(Number(0))),
            ("fchmodat0", "(IJII)V", CHANGE),
            ("chown0", "(JII)V", CHANGE),
            ("lchown0", "(JII)V", CHANGE),
            ("fchown", "(III)V", CHANGE.of(Number(0))),
            ("fchown0", "(III)V", CHANGE.of(Number(0))),
            ("utimes0", "(JJJ)V", CHANGE),
            ("lutimes0", "(JJJ)V", CHANGE),
            ("utimensat0", "(IJJJI)V", CHANGE),
            ("futimes", "(IJJ)V", CHANGE.of(Number(0))),
            ("futimens", "(IJJ)V", CHANGE.of(Number(0))),
            ("futimens0", "(IJJ)V", CHANGE.of(Number(0))),
            ("link0", "(JJ)V", CHANGE),
            ("symlink0", "(JJ)V", CHANGE),
            ("mkdir0", "(JI)V", CHANGE),
            ("mknod0", "(JIJ)V", CHANGE),
            ("rename0", "(JJ)V", CHANGE),
            ("renameat0", "(IJIJ)V", CHANGE),
            ("rmdir0", "(J)V", CHANGE),
            ("unlink0", "(J)V", CHANGE),
            ("unlinkat0", "(IJI)V", CHANGE),
            ("fgetxattr0", "(IJJI)I", INPUT.of(Number(0)).filling(Memory(2))),
            ("flistxattr", "(IJI)I", INPUT.of(Number(0)).filling(Memory(1))),
            ("fremovexattr0", "(IJ)V", CHANGE.of(Number(0))),
            ("fsetxattr0", "(IJJI)V", CHANGE.of(Number(0))),
        ],
    ),
    (
        "sun/nio/fs/LinuxNativeDispatcher",
        &[
            ("setmntent0", "(JJ)J", INPUT),
            ("getmntent0", "(JLsun/nio/fs/UnixMountEntry;JI)I", INPUT.filling(Fields(1))),
            ("endmntent", "(J)V", INPUT),
            ("posix_fadvise", "(IJJI)I", INPUT.of(Number(0))),
            ("directCopy0", "(IIJ)I", CHANGE.of(Number(0))),
        ],
    ),
    ("sun/nio/fs/UnixCopyFile", &[("transfer", "(IIJ)V", CHANGE.of(Number(0)))]),
    ("sun/nio/fs/UnixFileSystem", &[("bufferedCopy0", "(IIJIJ)V", CHANGE.of(Number(0)))]),
    ("java/lang/ProcessEnvironment", &[("environ", "()[[B", FACT)]),
    (
        "java/lang/ProcessImpl",
        &[("forkAndExec", "(I[B[B[BI[BI[B[IZ)I", PROCESS.filling(Elements(9)).giving(Gives::Process))],
    ),
    (
        "java/lang/ProcessHandleImpl",
        &[
            ("getCurrentPid0", "()J", FACT),
            ("getProcessPids0", "(J[J[J[J)I", INPUT.filling(Elements(1))),
            ("isAlive0", "(J)J", FACT),
            ("parent0", "(JJ)J", INPUT),
            ("destroy0", "(JJZ)Z", EFFECT),
        ],
    ),
    ("java/lang/ProcessHandleImpl$Info", &[("info0", "(J)V", INPUT.filling(Fields(0)))]),
    (
        "java/util/TimeZone",
        &[
            ("getSystemTimeZoneID", "(Ljava/lang/String;)Ljava/lang/String;", FACT),
            ("getSystemGMTOffsetID", "()Ljava/lang/String;", FACT),
        ],
    ),
    (
        "jdk/internal/misc/VM",
        &[
            ("getuid", "()J", FACT),
            ("geteuid", "()J", FACT),
            ("getgid", "()J", FACT),
            ("getegid", "()J", FACT),
        ],
    ),
];
