package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Orders accesses to memory while a run is replayed: each thread counts its accesses in its slot, as when it was recorded. The slot says at which access the thread has to
 * ask whether it may go on, and when others want to be told how far it is. The class of the same name in record/ has the same methods.
 */
public final class ReweaveMemory {
    private static final int SLOT = 128, ASK = 8, TELL = 16;

    /** Set by the agent. */
    static long slots, flags;

    private ReweaveMemory() {}

    static final class Memory {
        static final Unsafe U = Unsafe.getUnsafe();
    }

    /** Waits for the turn of the stream's next access. An answer as in {@link ReweaveLight}. */
    static native int ask(int stream, int site);
    /** Tells the others how many accesses the stream has completed. */
    static native void tell(int stream);

    static long slot(int stream) {
        return stream <= 0 ? 0 : slots + (long) stream * SLOT;
    }

    private static void before(int site) {
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot != 0 && Memory.U.getLong(slot) + 1 >= Memory.U.getLong(slot + ASK)) wait(t, site);
    }

    private static void wait(Thread t, int site) {
        Reweave.wakePending(t);
        int answer = ask(t.$rwStream, site);
        if (answer > ReweaveLight.GO) answer = ReweaveLight.ask(t, site, answer);
        if (answer != ReweaveLight.OFF) return;
        t.$rwStream = -1;
        t.$rwSlot = 0;
    }

    /** Begins an access that the helper makes itself. False: nothing counts. */
    static boolean enter(Thread t, Object o, int site) {
        if (!Reweave.ready) return false;
        before(site);
        return true;
    }

    static boolean enterLock(Thread t, Object lock, int site) {
        return enter(t, lock, site);
    }

    /** Ends it; `at` is where in the object, `how` as ReweaveLocks has it. */
    static void leave(Object o, long at, int how, int site) {
        if (ReweaveObservation.on) {
            int kind = how == ReweaveLocks.UPDATED ? ReweaveObservation.UPDATE
                    : how == ReweaveLocks.WRITTEN ? ReweaveObservation.VOLATILE_WRITE : ReweaveObservation.VOLATILE_READ;
            ReweaveObservation.unsafe(o, at, kind, 'I', site);
        }
        accessed();
    }

    public static void accessed() {
        if (!Reweave.ready) return;
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0) return;
        long count = Memory.U.getLong(slot) + 1;
        Memory.U.putLongRelease(null, slot, count);
        if (count >= Memory.U.getLong(slot + TELL)) tell(t.$rwStream);
    }

    public static void reading(Object o, int site) {
        if (Reweave.ready && o != null) before(site);
    }

    public static void writing(Object o, int site) {
        if (Reweave.ready && o != null) before(site);
    }

    static boolean begin(Object o, long at, boolean write, int site) {
        if (!Reweave.ready || o == null && at >>> 12 == 0) return false;
        before(site);
        if (o != null && o.getClass().isArray()) ReweaveArrays.used(o);
        return true;
    }

    public static void readingElement(Object array, int index, int site) {
        if (!Reweave.ready || array == null || Integer.compareUnsigned(index, java.lang.reflect.Array.getLength(array)) >= 0) return;
        before(site);
        ReweaveArrays.used(array);
    }

    public static void writingElement(Object array, int index, int site) {
        readingElement(array, index, site);
    }

    /** A reference is about to be written, if the array can take it. */
    public static void storing(Object value, Object array, int index, int site) {
        if (array == null || value != null && !array.getClass().getComponentType().isInstance(value)) return;
        writingElement(array, index, site);
    }

    /** An object is about to be copied. */
    public static void cloning(Object o, int site) {
        if (o instanceof Cloneable && hasWord(o.getClass())) reading(o, site);
    }

    public static void cloned(Object copy) {
        if (hasWord(copy.getClass())) accessed();
    }

    /** The class that declares the memory word of instances of this one, or null. */
    static native Class<?> wordClass(Class<?> type);

    /** Whether accesses to the fields of such an object were ordered when it was recorded. */
    private static boolean hasWord(Class<?> type) {
        if (!Reweave.ready) return false;
        if (type.$rwMemory == 0) type.$rwMemory = wordClass(type) == null ? -1 : 1;
        return type.$rwMemory > 0;
    }

    public static void readingStatic(Class<?> type, int levels, int site) {
        if (Reweave.ready) before(site);
    }

    public static void writingStatic(Class<?> type, int levels, int site) {
        if (Reweave.ready) before(site);
    }

    static int flag(int field) {
        return Reweave.ready ? Memory.U.getByte(flags + field) : 0;
    }

    public static void readingIf(Object o, int field, int site) {
        if (flag(field) > 1) reading(o, site);
    }

    public static void writingIf(Object o, int field, int site) {
        if (flag(field) > 1) reading(o, site);
    }

    public static void readingStaticIf(Class<?> type, int field, int site) {
        if (flag(field) > 1) before(site);
    }

    public static void writingStaticIf(Class<?> type, int field, int site) {
        if (flag(field) > 1) before(site);
    }

    public static void accessedIf(int field) {
        if (flag(field) > 1) accessed();
    }
}
