package java.lang;

import java.lang.reflect.Array;

/** Accesses to arrays while a run is replayed. The class of the same name in record/ has the same methods. */
public final class ReweaveArrays {
    private ReweaveArrays() {}

    /** The first access gives the array the identity hash that it got when the run was recorded; its turn has come. */
    static void used(Object array) {
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0 || t.$rwQuiet != 0 || ReweaveHash.peek(array) != 0) return;
        long made = ReweaveMemory.Memory.U.getLong(slot + ReweaveIds.MADE);
        ReweaveMemory.Memory.U.putLong(slot + ReweaveIds.MADE, made + 1);
        ReweaveHash.install(array, ReweaveIds.of(t.$rwStream, made));
    }

    /** In place of System.arraycopy: a read and a write. */
    public static void copy(Object from, int fromIndex, Object to, int toIndex, int length, int site) {
        Thread t = Thread.currentThread();
        if (!Reweave.ready || t.$rwSlot == 0 || t.$rwQuiet != 0 || !ReweaveBulk.valid(from, fromIndex, to, toIndex, length)) {
            ReweaveBulk.raw(t, from, fromIndex, to, toIndex, length);
            return;
        }
        Object kept = Array.newInstance(from.getClass().getComponentType(), length);
        ReweaveMemory.readingElement(from, fromIndex, site);
        if (ReweaveObservation.on) ReweaveObservation.range(from, fromIndex, length, false, site);
        System.arraycopy(from, fromIndex, kept, 0, length);
        ReweaveMemory.accessed();
        ReweaveMemory.writingElement(to, toIndex, site);
        if (ReweaveObservation.on) ReweaveObservation.range(to, toIndex, length, true, site);
        try {
            System.arraycopy(kept, 0, to, toIndex, length);
        } catch (ArrayStoreException e) {
            throw ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveMemory.accessed();
        }
    }

    /** In place of the method clone of an array. */
    public static Object clone(Object array, int site) {
        if (array == null) throw ReweaveQuiet.clean(Thread.currentThread(), new NullPointerException());
        int length = Array.getLength(array);
        Object copy = Array.newInstance(array.getClass().getComponentType(), length);
        if (length == 0) return copy;
        ReweaveMemory.readingElement(array, 0, site);
        if (ReweaveObservation.on) ReweaveObservation.range(array, 0, length, false, site);
        System.arraycopy(array, 0, copy, 0, length);
        ReweaveMemory.accessed();
        return copy;
    }

    public static void copy(Object from, int fromIndex, Object to, int toIndex, int length) { copy(from, fromIndex, to, toIndex, length, 0); }
    public static Object clone(Object array) { return clone(array, 0); }
}
