package java.lang;

import jdk.internal.misc.Unsafe;

/** What the places in the program access: where in its object a field is, of which type, and whether it is volatile. Looked up once for each place. */
final class ReweaveSites {
    /** Facts about a site: the offset of its field, the field's type from bit 32 on, and these. Negative: of no interest. */
    static final long VOLATILE = 1L << 40, NO_PLAIN = 1L << 41, IGNORED = -1;
    private static final int BITS = 18, MASK = (1 << BITS) - 1;
    /** The sites that are known, by open addressing, outside the heap. */
    private static long keys, lock;
    private static long[] facts;
    private static int used;

    private ReweaveSites() {}

    /** What the agent knows of a site: null if it is of no interest, else flags (n: no plain accesses, v: volatile), and for a field its type, owner and name. */
    private static native String describe(int site);

    static void init() {
        Unsafe u = ReweaveMemory.Memory.U;
        facts = new long[1 << BITS];
        keys = u.allocateMemory(4L << BITS);
        u.setMemory(keys, 4L << BITS, (byte) 0);
        lock = u.allocateMemory(8);
        u.putLong(lock, 0);
    }

    static int mix(int number) {
        number *= 0x9e3779b1;
        return number ^ number >>> 15;
    }

    /** `type`: the class of the object, or the class that declares the static; null if the access names no field. */
    static long of(Thread t, Class<?> type, boolean isStatic, int site) {
        for (int at = mix(site) & MASK; ; at = at + 1 & MASK) {
            int key = ReweaveMemory.Memory.U.getIntAcquire(null, keys + at * 4L);
            if (key == site) return facts[at];
            if (key == 0) return learn(t, type, isStatic, site);
        }
    }

    private static long learn(Thread t, Class<?> type, boolean isStatic, int site) {
        Unsafe u = ReweaveMemory.Memory.U;
        long found = IGNORED;
        ReweaveQuiet.enter(t);
        try {
            String text = describe(site);
            if (text != null) {
                found = 0;
                int at = 0;
                if (text.charAt(at++) == 'n') found |= NO_PLAIN;
                if (text.charAt(at++) == 'v') found |= VOLATILE;
                if (type != null && text.length() > at) {
                    found |= (long) text.charAt(at++) << 32;
                    int end = text.indexOf('|');
                    String name = text.substring(end + 1);
                    long offset = isStatic ? declaredStatic(type, name) : offset(type, text.substring(at, end), name);
                    found = offset < 0 ? IGNORED : found | offset;
                }
            }
        } finally {
            ReweaveQuiet.leave(t);
        }
        while (!u.compareAndSetLong(null, lock, 0, 1)) Thread.onSpinWait();
        if (used < MASK / 2) {
            int at = mix(site) & MASK;
            int key;
            while ((key = u.getInt(keys + at * 4L)) != 0 && key != site) at = at + 1 & MASK;
            if (key == 0) {
                used++;
                facts[at] = found;
                u.putIntRelease(null, keys + at * 4L, site);
            }
        }
        u.putLongRelease(null, lock, 0);
        return found;
    }

    private static long offset(Class<?> type, String owner, String name) {
        Class<?> from = type;
        while (from != null && !from.getName().equals(owner)) from = from.getSuperclass();
        for (Class<?> c = from == null ? type : from; c != null; c = c.getSuperclass()) {
            long offset = declared(c, name);
            if (offset >= 0) return offset;
        }
        return -1;
    }

    /** Where the field of that name is, if the class itself declares one. */
    static long declared(Class<?> type, String name) {
        try {
            return ReweaveMemory.Memory.U.objectFieldOffset(type, name);
        } catch (InternalError e) {
            return -1;
        }
    }

    /** The same for statics, which newer JDKs tell only of fields as objects. */
    static long declaredStatic(Class<?> type, String name) {
        long offset = declared(type, name);
        if (offset >= 0) return offset;
        try {
            for (java.lang.reflect.Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) return ReweaveMemory.Memory.U.staticFieldOffset(field);
            }
        } catch (LinkageError | IllegalArgumentException e) {
            // A class that is not there.
        }
        return -1;
    }
}
