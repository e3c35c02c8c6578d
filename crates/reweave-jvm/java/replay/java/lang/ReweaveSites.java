package java.lang;

import jdk.internal.misc.Unsafe;

/** What the places in the program access: where in its object a field is, of which type, and whether it is volatile. Looked up once for each place. */
final class ReweaveSites {
    /** Facts about a site: the offset of its field, the field's type from bit 32 on, and these. Negative: of no interest. */
    static final long VOLATILE = 1L << 40, NO_PLAIN = 1L << 41, IGNORED = -1;
    private static final int BITS = 18, MASK = (1 << BITS) - 1;
    private static int[] keys;
    private static long[] facts;
    private static int used;
    private static long base, lock;

    private ReweaveSites() {}

    /** What the agent knows of a site: null if it is of no interest, else flags (n: no plain accesses, v: volatile), and for a field its type, owner and name. */
    private static native String describe(int site);

    static void init() {
        Unsafe u = ReweaveMemory.Memory.U;
        keys = new int[1 << BITS];
        facts = new long[1 << BITS];
        base = u.arrayBaseOffset(int[].class);
        lock = u.allocateMemory(8);
        u.putLong(lock, 0);
    }

    static int mix(int number) {
        number *= 0x9e3779b1;
        return number ^ number >>> 15;
    }

    /** `type`: the class of the object, or the class that declares the static; null if the access names no field. */
    static long of(Thread t, Class<?> type, int site) {
        for (int at = mix(site) & MASK; ; at = at + 1 & MASK) {
            int key = ReweaveMemory.Memory.U.getIntAcquire(keys, base + at * 4L);
            if (key == site) return facts[at];
            if (key == 0) return learn(t, type, site);
        }
    }

    private static long learn(Thread t, Class<?> type, int site) {
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
                    long offset = offset(type, text.substring(at, end), text.substring(end + 1));
                    found = offset < 0 ? IGNORED : found | offset;
                }
            }
        } finally {
            ReweaveQuiet.leave(t);
        }
        while (!u.compareAndSetLong(null, lock, 0, 1)) Thread.onSpinWait();
        if (used < MASK / 2) {
            int at = mix(site) & MASK;
            while (keys[at] != 0 && keys[at] != site) at = at + 1 & MASK;
            if (keys[at] == 0) {
                used++;
                facts[at] = found;
                u.putIntRelease(keys, base + at * 4L, site);
            }
        }
        u.putLongRelease(null, lock, 0);
        return found;
    }

    private static long offset(Class<?> type, String owner, String name) {
        Class<?> from = type;
        while (from != null && !from.getName().equals(owner)) from = from.getSuperclass();
        for (Class<?> c = from == null ? type : from; c != null; c = c.getSuperclass()) {
            try {
                return ReweaveMemory.Memory.U.objectFieldOffset(c, name);
            } catch (InternalError e) {
                // Declared further up.
            }
        }
        return -1;
    }
}
