package java.lang;

import static java.lang.ReweaveLog.U;
import static java.lang.ReweaveMemory.READABLE;

import java.lang.reflect.Array;
import jdk.internal.vm.annotation.DontInline;

/**
 * Level access while a run is recorded: what is called around every access of the program, in as few instructions as possible, because they stand everywhere and the
 * compiler has to take them in. Whatever is not the thread's own is left to ReweaveMemory, which describes it all.
 */
public final class ReweaveAccess {
    private static final int OWN = 8;

    private ReweaveAccess() {}

    public static void reading(Object o, int site) {
        if (o == null) return;
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long offset = o.getClass().$rwMemory;
        if (offset > 0) {
            long word = U.getLong(o, offset);
            if (word == U.getLong(slot + OWN) || word <= U.getLong(slot + READABLE)) return;
        }
        read(o, site);
    }

    public static void writing(Object o, int site) {
        if (o == null) return;
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long offset = o.getClass().$rwMemory;
        if (offset <= 0 || U.getLong(o, offset) != U.getLong(slot + OWN)) write(o, site);
    }

    public static void accessed() {
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        U.storeFence();
        long count = U.getLong(slot);
        if ((count & 1) != 0) U.putLong(slot, count + 1);
        else locked();
    }

    public static void readingElement(Object array, int index, int site) {
        if (array == null || Integer.compareUnsigned(index, Array.getLength(array)) >= 0) return;
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long word = U.getLong(ReweaveArrays.fast(U.getLong(array, 0L)));
        if (word != U.getLong(slot + OWN) && word > U.getLong(slot + READABLE)) readElement(array, site);
    }

    public static void writingElement(Object array, int index, int site) {
        if (array == null || Integer.compareUnsigned(index, Array.getLength(array)) >= 0) return;
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        if (U.getLong(ReweaveArrays.fast(U.getLong(array, 0L))) != U.getLong(slot + OWN)) writeElement(array, site);
    }

    /** A reference is about to be written, if the array can take it. */
    public static void storing(Object value, Object array, int index, int site) {
        if (array == null || value != null && !array.getClass().getComponentType().isInstance(value)) return;
        writingElement(array, index, site);
    }

    /** An object is new, and nobody else can have it: its word may as well be this thread's from the start. */
    public static void made(Object o) {
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        Class<?> type = o.getClass();
        long offset = type.$rwMemory, own = U.getLong(slot + OWN);
        if (offset > 0 && own > 0 && type.$rwTaken == 0) U.putLong(o, offset, own);
    }

    // Statics share the word of the class that declares them.

    public static void readingStatic(Class<?> type, int levels, int site) {
        while (levels-- > 0) type = type.getSuperclass();
        reading(type, site);
    }

    public static void writingStatic(Class<?> type, int levels, int site) {
        while (levels-- > 0) type = type.getSuperclass();
        writing(type, site);
    }

    // The rest is rare.

    @DontInline
    private static void read(Object o, int site) {
        begin(o, false, site);
    }

    @DontInline
    private static void write(Object o, int site) {
        begin(o, true, site);
    }

    private static void begin(Object o, boolean write, int site) {
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot, offset = o.getClass().$rwMemory;
        if (offset > 0) ReweaveMemory.slow(t, slot, o, offset, U.getLong(o, offset), write, site);
        else ReweaveMemory.elsewhere(t, slot, o, 0, write, site);
    }

    @DontInline
    private static void readElement(Object array, int site) {
        Thread t = Thread.currentThread();
        ReweaveArrays.begin(t, t.$rwSlot, array, false, site);
    }

    @DontInline
    private static void writeElement(Object array, int site) {
        Thread t = Thread.currentThread();
        ReweaveArrays.begin(t, t.$rwSlot, array, true, site);
    }

    @DontInline
    private static void locked() {
        ReweaveMemory.giveBack(Thread.currentThread().$rwSlot, true);
    }

    public static void readingIf(Object o, int field, int site) { ReweaveMemory.readingIf(o, field, site); }
    public static void writingIf(Object o, int field, int site) { ReweaveMemory.writingIf(o, field, site); }
    public static void readingStaticIf(Class<?> type, int field, int site) { ReweaveMemory.readingStaticIf(type, field, site); }
    public static void writingStaticIf(Class<?> type, int field, int site) { ReweaveMemory.writingStaticIf(type, field, site); }
    public static void accessedIf(int field) { ReweaveMemory.accessedIf(field); }
    public static void cloning(Object o, int site) { ReweaveMemory.cloning(o, site); }
    public static void cloned(Object copy) { ReweaveMemory.cloned(copy); }
}
