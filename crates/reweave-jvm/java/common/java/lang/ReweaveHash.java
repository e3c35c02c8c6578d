package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Identity hash codes are made by the VM at random, and programs see them: in the order of hash tables, in toString. They are kept in the header of the object, where
 * compiled code reads them without asking anybody; so a replay must put the recorded one there before anybody looks. Who asks for a hash that is not there yet
 * comes here: the agent has taken the place of the native method behind Object.hashCode.
 */
final class ReweaveHash {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final int UNLOCKED = 1, LOCKED = 0, INFLATED = 2;
    /** Where the hash is in the header; 0 if that could not be found out. */
    static int shift;
    /** Whether the header stays where it is while the object is locked, as in newer VMs. */
    private static boolean inPlace;
    private static long lockWord;

    private ReweaveHash() {}

    /** What the VM does. */
    static native int original(Object o);

    /** From now on `loaded` is called for each class, those that are there already first. */
    private static native void watch();

    /** Before most classes are verified. */
    static void start() {
        init();
        if (shift != 0) watch();
    }

    /** The VM gives a class its hash when it verifies it, by itself: it must have the one that follows from its name before that. Called by the agent. */
    static int loaded(Class<?> type, int hash) {
        // Nearly always nobody knows the class yet; this is interpreted, for each class that is loaded while the VM starts.
        long header = U.getLong(type, 0L);
        if ((header & 3) == UNLOCKED && of(header) == 0 && U.compareAndSetLong(type, 0L, header, header | (long) hash << shift)) return hash;
        return install(type, hash);
    }

    static int named(Class<?> type) {
        return install(type, mix(text(type.getName())));
    }

    static void init() {
        if (lockWord != 0) return;
        lockWord = U.allocateMemory(8);
        U.putLong(lockWord, 0);
        Object o = new Object();
        int hash = original(o);
        long header = U.getLong(o, 0L);
        // With biased locking headers mean something else.
        if ((U.getLong(new Object(), 0L) & 7) == 5) return;
        for (int s = 2; s < 33; s++) if ((int) (header >>> s) == hash || (int) (header >>> s & 0x7fffffff) == hash) shift = s;
        Object locked = new Object();
        synchronized (locked) {
            inPlace = U.getLong(locked, 0L) == 0;
        }
    }

    private static int of(long header) {
        return (int) (header >>> shift) & 0x7fffffff;
    }

    /** Whether hashes can be seen and set in this VM. */
    static boolean works() {
        return shift != 0;
    }

    /** The hash, 0 if there is none yet, -1 if that cannot be seen now. */
    static int peek(Object o) {
        if (shift == 0) return -1;
        long header = U.getLongVolatile(o, 0L);
        switch ((int) header & 3) {
            case UNLOCKED:
                return of(header);
            case LOCKED:
                if (inPlace) return of(header);
                // Else the header is where the thread that holds the lock has put it; 0 stands there while another thread is about to move it.
                return header != 0 && Thread.holdsLock(o) ? of(U.getLong(header)) : -1;
            case INFLATED:
                return of(U.getLongVolatile(null, header & ~3L));
            default:
                return -1;
        }
    }

    /** The hash or 0, as soon as that can be seen; -1 if it cannot for long. */
    static int see(Object o) {
        int hash = peek(o);
        for (int tries = 0; hash < 0 && shift != 0 && tries < 10_000; tries++) {
            if (tries > 100) Thread.yield();
            else Thread.onSpinWait();
            hash = peek(o);
        }
        return hash;
    }

    /** Gives the object this hash, unless it has one. Returns the one it has then. */
    static int install(Object o, int hash) {
        for (int tries = 0; tries < 1_000_000; tries++) {
            int known = peek(o);
            if (known > 0) return known;
            // Looked at again: a header that is moved meanwhile may go without it.
            if (known == 0) put(o, (long) hash << shift);
            else if (tries > 100) Thread.yield();
            else Thread.onSpinWait();
        }
        return original(o);
    }

    private static void put(Object o, long bits) {
        long header = U.getLongVolatile(o, 0L);
        switch ((int) header & 3) {
            case UNLOCKED:
                add(o, 0L, header, bits);
                return;
            case LOCKED:
                if (inPlace) add(o, 0L, header, bits);
                else if (header != 0 && Thread.holdsLock(o)) add(null, header, U.getLong(header), bits);
                return;
            case INFLATED:
                add(null, header & ~3L, U.getLongVolatile(null, header & ~3L), bits);
                return;
            default:
        }
    }

    private static void add(Object base, long offset, long header, long bits) {
        if (of(header) == 0) U.compareAndSetLong(base, offset, header, header | bits);
    }

    /** A hash for the recorder's own use, of an object that may have none: it follows from where it was needed first, so that a replay can make the same. */
    static int own(Object o, long seed) {
        int known = peek(o);
        if (known > 0) return known;
        return shift == 0 ? original(o) : install(o, mix(seed));
    }

    /** The hash of an object that has none, made at the event with that link: programs never know what they get, so it may as well follow from that and need no room in the log. */
    static int made(Object o, long link) {
        if (peek(o) == 0) put(o, (long) mix(link) << shift);
        // If another thread has locked the object just now, the VM makes another one.
        return original(o);
    }

    /** As in reweave-trace. */
    static int mix(long seed) {
        seed *= 0x9e3779b97f4a7c15L;
        int hash = (int) (seed ^ seed >>> 29) & 0x7fffffff;
        return hash == 0 ? 1 : hash;
    }

    /** Classes, the constants of enums and the JDK's socket options are used by everybody, the VM included: their hash follows from their name. 0 for other objects. */
    static int named(Thread t, Object o) {
        if (shift == 0) return 0;
        boolean isOption = o instanceof java.net.SocketOption && o.getClass().getClassLoader0() == null;
        if (!isOption && !(o instanceof Class) && !(o instanceof Enum)) return 0;
        ReweaveQuiet.enter(t);
        try {
            int h;
            if (o instanceof Class) h = text(((Class<?>) o).getName());
            else h = text(isOption ? ((java.net.SocketOption<?>) o).name() : ((Enum<?>) o).name()) * 31 + text(o.getClass().getName());
            return install(o, mix(h));
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    /** The name of a hidden class ends with a number of the run. */
    private static int text(String name) {
        int h = 7;
        for (int i = 0; i < name.length() && name.charAt(i) != '/'; i++) h = h * 31 + name.charAt(i);
        return h;
    }

    /** One thread at a time: each hash is made once. */
    static void lock() {
        for (int tries = 0; !U.compareAndSetInt(null, lockWord, 0, 1); tries++) {
            if (tries > 100) Thread.yield();
            else Thread.onSpinWait();
        }
    }

    static void unlock() {
        U.putIntRelease(null, lockWord, 0);
    }
}
