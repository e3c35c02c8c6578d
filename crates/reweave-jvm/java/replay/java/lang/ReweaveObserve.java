package java.lang;

import java.lang.reflect.Array;

/**
 * What rewritten classes call around accesses to memory in a replay that is observed: the turn is waited for as in any replay, then the access is written down, before
 * others can be told of it. So the order of what is written is one in which it could have happened. ReweaveMemory has the same methods.
 */
public final class ReweaveObserve {
    private ReweaveObserve() {}

    public static void reading(Object o, int site) {
        ReweaveMemory.reading(o, site);
        if (o != null) ReweaveObservation.field(o, o.getClass(), false, site);
    }

    public static void writing(Object o, int site) {
        ReweaveMemory.writing(o, site);
        if (o != null) ReweaveObservation.field(o, o.getClass(), true, site);
    }

    // Accesses to the same object that count as one with the access before: their turn has come with it.

    public static void alsoReading(Object o, int site) {
        ReweaveObservation.also();
        ReweaveObservation.field(o, o.getClass(), false, site);
    }

    public static void alsoWriting(Object o, int site) {
        ReweaveObservation.also();
        ReweaveObservation.field(o, o.getClass(), true, site);
    }

    public static void accessed() {
        ReweaveObservation.allDone();
        ReweaveMemory.accessed();
    }

    public static void readingElement(Object array, int index, int site) {
        if (array == null || Integer.compareUnsigned(index, Array.getLength(array)) >= 0) return;
        ReweaveMemory.readingElement(array, index, site);
        ReweaveObservation.element(array, index, false, site);
    }

    public static void writingElement(Object array, int index, int site) {
        if (array == null || Integer.compareUnsigned(index, Array.getLength(array)) >= 0) return;
        ReweaveMemory.writingElement(array, index, site);
        ReweaveObservation.element(array, index, true, site);
    }

    public static void storing(Object value, Object array, int index, int site) {
        if (array == null || value != null && !array.getClass().getComponentType().isInstance(value)) return;
        writingElement(array, index, site);
    }

    public static void made(Object o) {
        ReweaveObservation.made(o);
    }

    public static void cloning(Object o, int site) {
        ReweaveMemory.cloning(o, site);
    }

    public static void cloned(Object copy) {
        // The copy has the number of what it was copied from.
        ReweaveObjects.forget(copy);
        ReweaveMemory.cloned(copy);
    }

    private static Class<?> declaring(Class<?> type, int levels) {
        while (levels-- > 0) type = type.getSuperclass();
        return type;
    }

    public static void readingStatic(Class<?> type, int levels, int site) {
        ReweaveMemory.readingStatic(type, levels, site);
        Class<?> declaring = declaring(type, levels);
        ReweaveObservation.field(declaring, declaring, false, site);
    }

    public static void writingStatic(Class<?> type, int levels, int site) {
        ReweaveMemory.writingStatic(type, levels, site);
        Class<?> declaring = declaring(type, levels);
        ReweaveObservation.field(declaring, declaring, true, site);
    }

    // Whether the field is ordered, and how many superclasses up it is declared, was not known when the instruction was rewritten.

    public static void readingIf(Object o, int field, int site) {
        if (ReweaveMemory.flag(field) > 1) reading(o, site);
    }

    public static void writingIf(Object o, int field, int site) {
        if (ReweaveMemory.flag(field) > 1) writing(o, site);
    }

    public static void readingStaticIf(Class<?> type, int field, int site) {
        int flag = ReweaveMemory.flag(field);
        if (flag > 1) readingStatic(type, flag - 2, site);
    }

    public static void writingStaticIf(Class<?> type, int field, int site) {
        int flag = ReweaveMemory.flag(field);
        if (flag > 1) writingStatic(type, flag - 2, site);
    }

    public static void accessedIf(int field) {
        if (ReweaveMemory.flag(field) > 1) accessed();
    }
}
