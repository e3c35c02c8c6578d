package java.lang;

import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;

/**
 * Numbers for objects, never addresses: the stream that met the object first, and a count of that stream. Objects keep their number in a word that a recording would use
 * otherwise; arrays and others without such a word are found by the identity hash that the recording gave them.
 */
final class ReweaveObjects {
    /** Where a slot counts the objects that its stream has numbered. */
    private static final int COUNT = 24;
    private static Entry[] table = new Entry[1 << 12];
    private static int used;
    /** A word outside the heap. */
    private static long lock;

    private ReweaveObjects() {}

    static final class Entry extends WeakReference<Object> {
        final long id;
        final int hash;
        Entry next;

        Entry(Object o, long id, int hash) {
            super(o);
            this.id = id;
            this.hash = hash;
        }
    }

    /** Number of a class, for names. */
    private static native int number(Class<?> type);
    /** The fields that a class declares, a space behind each: an asterisk if it is static, else a dash, the first letter of its type, its name. */
    private static native String fields(Class<?> type);
    /** Tells which field of instances of class `number` is where. */
    private static native void field(int number, long offset, String name);

    /** The number of an object; negative if it has none of its own, only that of its class. */
    static long of(Thread t, Object o) {
        Class<?> type = o.getClass();
        long word = word(t, type);
        return word > 0 ? inWord(t, o, word) : inTable(t, o, type);
    }

    /** Where its instances have a word that is free in a replay; -1 if nowhere. */
    private static int word(Thread t, Class<?> type) {
        long info = type.$rwInfo;
        return (int) (info == 0 ? learn(t, type) : info);
    }

    private static long inWord(Thread t, Object o, long word) {
        Unsafe u = ReweaveMemory.Memory.U;
        long id = u.getLongVolatile(o, word);
        if (id != 0) return id;
        id = next(t);
        if (!u.compareAndSetLong(o, word, 0, id)) return u.getLongVolatile(o, word);
        introduce(t, o, id);
        return id;
    }

    private static void introduce(Thread t, Object o, long id) {
        if (o instanceof Class) {
            Class<?> type = (Class<?>) o;
            word(t, type);
            ReweaveObservation.note(t, ReweaveObservation.CLASS, 0, id, type.$rwInfo >>> 32);
        } else ReweaveObservation.note(t, ReweaveObservation.MADE, 0, id, o.getClass().$rwInfo >>> 32);
    }

    private static long next(Thread t) {
        Unsafe u = ReweaveMemory.Memory.U;
        long slot = t.$rwSlot, count = u.getLong(slot + COUNT) + 1;
        u.putLong(slot + COUNT, count);
        return (long) t.$rwStream << 40 | count;
    }

    /** A copy of an object is new. */
    static void forget(Object copy) {
        Thread t = Thread.currentThread();
        if (!ReweaveObservation.on || t.$rwSlot == 0 || t.$rwQuiet != 0) return;
        int word = word(t, copy.getClass());
        if (word > 0) ReweaveMemory.Memory.U.putLong(copy, word, 0);
    }

    /** Finds the word and gives the class a number. Two threads may do so at once, with the same result. */
    private static long learn(Thread t, Class<?> type) {
        ReweaveQuiet.enter(t);
        try {
            Unsafe u = ReweaveMemory.Memory.U;
            Class<?> memory = ReweaveMemory.wordClass(type), order = memory == null ? orderClass(type) : null;
            long offset = memory != null ? u.objectFieldOffset(memory, "$rwm") : order != null ? u.objectFieldOffset(order, "$rw") : -1;
            int number = number(type);
            if (!type.isArray()) {
                for (Class<?> c = type; c != null; c = c.getSuperclass()) describe(number, c, c == type);
            }
            return type.$rwInfo = (long) number << 32 | offset & 0xffffffffL;
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    private static native Class<?> orderClass(Class<?> type);

    private static void describe(int number, Class<?> type, boolean statics) {
        String names = fields(type);
        for (int from = 0; from < names.length(); ) {
            int end = names.indexOf(' ', from);
            String name = names.substring(from, end);
            from = end + 1;
            String plain = name.substring(2);
            boolean isStatic = name.charAt(0) == '*';
            if (isStatic && !statics) continue;
            long offset = isStatic ? ReweaveSites.declaredStatic(type, plain) : ReweaveSites.declared(type, plain);
            if (offset >= 0) field(number, offset, name);
        }
    }

    private static long inTable(Thread t, Object o, Class<?> type) {
        int hash = ReweaveHash.see(o);
        if (hash <= 0) return Long.MIN_VALUE | type.$rwInfo >>> 32;
        Entry[] now = table;
        long id = find(now, o, hash);
        if (id != 0) return id;
        while (!lock()) Thread.onSpinWait();
        try {
            id = find(table, o, hash);
            if (id != 0) return id;
            if (used >= table.length * 3 / 4) grow();
            id = next(t);
            Entry entry = new Entry(o, id, hash);
            entry.next = table[hash & table.length - 1];
            ReweaveMemory.Memory.U.storeFence();
            table[hash & table.length - 1] = entry;
            used++;
        } finally {
            unlock();
        }
        introduce(t, o, id);
        return id;
    }

    /** While the table is made anew this may miss an entry; whoever has the lock looks again. */
    private static long find(Entry[] table, Object o, int hash) {
        for (Entry e = table[hash & table.length - 1]; e != null; e = e.next) if (e.hash == hash && e.get() == o) return e.id;
        return 0;
    }

    private static void grow() {
        int live = 0;
        for (Entry e : table) for (; e != null; e = e.next) if (e.get() != null) live++;
        Entry[] larger = new Entry[live >= table.length / 2 ? table.length * 2 : table.length];
        for (Entry e : table) {
            while (e != null) {
                Entry next = e.next;
                if (e.get() != null) {
                    int at = e.hash & larger.length - 1;
                    e.next = larger[at];
                    larger[at] = e;
                }
                e = next;
            }
        }
        used = live;
        ReweaveMemory.Memory.U.storeFence();
        table = larger;
    }

    static void init() {
        lock = ReweaveMemory.Memory.U.allocateMemory(8);
        ReweaveMemory.Memory.U.putLong(lock, 0);
    }

    private static boolean lock() {
        return ReweaveMemory.Memory.U.compareAndSetInt(null, lock, 0, 1);
    }

    private static void unlock() {
        ReweaveMemory.Memory.U.putIntRelease(null, lock, 0);
    }

    /** The number of an object, 0 if there is none. */
    static long orNone(Thread t, Object o) {
        return o == null ? 0 : of(t, o);
    }

    /** What is in that field or element, as bits; of an object its number. */
    static long value(Thread t, Object o, int type, int part) {
        Unsafe u = ReweaveMemory.Memory.U;
        long at = part;
        switch (type) {
            case '[': return ReweaveElements.value(t, o, part);
            case 'Z': return u.getBoolean(o, at) ? 1 : 0;
            case 'B': return u.getByte(o, at);
            case 'S': return u.getShort(o, at);
            case 'C': return u.getChar(o, at);
            case 'I': return u.getInt(o, at);
            case 'J': return u.getLong(o, at);
            case 'F': return u.getInt(o, at);
            case 'D': return u.getLong(o, at);
            case ' ': return 0;
            default: return orNone(t, u.getReference(o, at));
        }
    }
}
