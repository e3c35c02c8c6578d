package java.lang;

import static java.lang.ReweaveEvent.*;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Writes events: the recording fast path. Every object has an order word, a link to the last event on it. An event on the object reads that link,
 * writes its own there, and logs the link it read. The word is a field that the agent added to the object's class where it could (the monitor that is
 * held protects it); all other objects share a table of words, exchanged atomically.
 */
final class ReweaveLog {
    static final Unsafe U = Unsafe.getUnsafe();
    /** Set in an order word by a thread outside the recording. */
    static final long FOREIGN_BIT = Long.MIN_VALUE;
    /** The table of shared words. */
    static long cells;
    static final int CELLS = 1 << 16;
    static final int CACHE = 32;
    static long signalOffset, infoOffset;

    private ReweaveLog() {}

    /** A lock of class Object that this thread took lately, so that its hash need not be asked for again: that is slow while it is locked. */
    static final class Recent {
        Object object;
        long cell, last;
        int tag;
    }

    static long head(int kind, int form, int site) {
        return (long) kind << KIND_SHIFT | (long) form << FORM_SHIFT | site & 0xffffffffL;
    }

    /** An event on a monitor that this thread holds. {@code p} has room for the longest event. */
    static void monitor(Thread t, long p, Object o, int site, int kind) {
        long info = o.getClass().$rwInfo;
        int offset = (int) info;
        if (offset <= 0) {
            shared(t, p, o, site, kind);
            return;
        }
        long me = t.$rwBias + (p >>> 3);
        long last = U.getLong(o, (long) offset);
        long back = me - last;
        if (back >>> 2 == 0 && kind == ACQUIRE && again(t, p, site, back)) return;
        U.putLong(o, (long) offset, me);
        if (back >>> TAG_BITS == 0) {
            U.putLong(p, head(kind, SHORT, site) | back << TAG_SHIFT);
            t.$rwPos = p + 8;
        } else {
            linked(t, p, head(kind, LINKED, site), me, last, (int) (info >>> 32));
        }
    }

    /**
     * Counts an acquire that is the same as the one before it: same object, same site, and nothing in between. The one before starts {@code back} words before
     * {@code p}, with a repeat behind it or not. The order word stays: whoever uses the object next comes after all repetitions, and ends them.
     */
    private static boolean again(Thread t, long p, int site, long back) {
        long before = U.getLong(p - 8);
        if ((before ^ head(REPEAT, SHORT, site)) << TAG_BITS == 0) {
            boolean behind = back == 2 || back == 3 && (int) (U.getLong(p - 24) >>> FORM_SHIFT & 3) == LINKED;
            if (!behind || before >>> TAG_SHIFT == (1L << TAG_BITS) - 1) return false;
            U.putLong(p - 8, before + (1L << TAG_SHIFT));
            return true;
        }
        boolean same = back == 1 ? (before ^ head(ACQUIRE, SHORT, site)) << TAG_BITS == 0
                : back == 2 && (U.getLong(p - 16) ^ head(ACQUIRE, LINKED, site)) << TAG_BITS == 0;
        if (!same) return false;
        U.putLong(p, head(REPEAT, SHORT, site) | 1L << TAG_SHIFT);
        t.$rwPos = p + 8;
        return true;
    }

    /** The other words first: a reader takes an event for complete once its first word is there. */
    @DontInline
    private static void linked(Thread t, long p, long head, long me, long last, int tag) {
        if (last < 0) {
            last &= ~FOREIGN_BIT;
            foreign(t, p, last);
            p = t.$rwPos;
            if (p >= t.$rwEnd && (p = slow(t)) == 0) return;
        }
        U.putLong(p + 8, last);
        U.putLongRelease(null, p, head | (last == 0 ? (long) tag << TAG_SHIFT : 0));
        t.$rwPos = p + 16;
    }

    private static void foreign(Thread t, long p, long last) {
        U.putLong(p + 8, last);
        U.putLongRelease(null, p, head(FOREIGN, LINKED, 0));
        t.$rwPos = p + 16;
    }

    /** Class id and offset of the order word, as in Class.$rwInfo, which it fills in. If two threads do so at once, the first one's stays, for waiters are looked for by it; the other id then names nothing. */
    static long inspect(Class<?> type) {
        long info = type.$rwInfo;
        if (info != 0) return info;
        Class<?> declaring = Reweave.orderClass(type);
        long offset = declaring == null ? -1 : U.objectFieldOffset(declaring, "$rw");
        long found = (long) Reweave.classId(type) << 32 | offset & 0xffffffffL;
        return U.compareAndSetLong(type, infoOffset, 0L, found) ? found : type.$rwInfo;
    }

    @DontInline
    private static void shared(Thread t, long p, Object o, int site, int kind) {
        Class<?> type = o.getClass();
        if (type.$rwInfo == 0) {
            inspect(type);
            if ((int) type.$rwInfo > 0) {
                monitor(t, p, o, site, kind);
                return;
            }
        }
        long me = t.$rwBias + (p >>> 3);
        Recent recent = recent(t, o, site, me);
        if (me - recent.last >>> 2 == 0 && kind == ACQUIRE && U.getLong(recent.cell) == recent.last && again(t, p, site, me - recent.last)) return;
        long last = U.getAndSetLong(null, recent.cell, me);
        long back = me - last;
        if (last == recent.last && back >>> TAG_BITS == 0) {
            U.putLong(p, head(kind, SHORT, site) | back << TAG_SHIFT);
            t.$rwPos = p + 8;
        } else {
            boolean outside = last < 0;
            if (outside) {
                last &= ~FOREIGN_BIT;
                foreign(t, p, last);
                p = t.$rwPos;
                if (p >= t.$rwEnd && (p = slow(t)) == 0) return;
            }
            U.putLong(p + 8, last);
            U.putLongRelease(null, p, head(kind, LINKED, site) | (long) recent.tag << TAG_SHIFT);
            t.$rwPos = p + 16;
        }
        recent.last = me;
    }

    /** A wait is over and its monitor held again. */
    static void waited(Thread t, long p, Object o, int site, long value) {
        Class<?> type = o.getClass();
        inspect(type);
        int offset = (int) type.$rwInfo;
        long me = t.$rwBias + (p >>> 3), last, tag = 0;
        if (offset > 0) {
            last = U.getLong(o, (long) offset);
            U.putLong(o, (long) offset, me);
        } else {
            Recent recent = recent(t, o, site, me);
            last = U.getAndSetLong(null, recent.cell, me);
            recent.last = me;
            tag = recent.tag;
        }
        U.putLong(p + 16, value);
        U.putLong(p + 8, last & ~FOREIGN_BIT);
        U.putLongRelease(null, p, head(WAIT, VALUED, site) | tag << TAG_SHIFT);
        t.$rwPos = p + 24;
    }

    private static Recent recent(Thread t, Object o, int site, long me) {
        Recent[] cache = (Recent[]) t.$rwCache;
        if (cache == null) t.$rwCache = cache = new Recent[CACHE];
        Recent recent = cache[site & CACHE - 1];
        if (recent != null && recent.object == o) return recent;
        int hash = ReweaveHash.own(o, me);
        // Only plain Objects are kept: they lead to nothing else, so holding on to a few costs the program no memory.
        if (recent == null || o.getClass() != Object.class) recent = new Recent();
        if (o.getClass() == Object.class) {
            recent.object = o;
            cache[site & CACHE - 1] = recent;
        }
        recent.cell = cells + ((long) (hash & CELLS - 1) << 3);
        recent.last = -1;
        recent.tag = SHARED_TAG | hash >>> 8 & 0x7fffff;
        return recent;
    }

    /** A thread outside the recording holds the monitor of {@code o}: leaves a mark for the next thread inside. */
    static void mark(Object o) {
        Class<?> type = o.getClass();
        long info = type.$rwInfo;
        if (info == 0) return;
        int offset = (int) info;
        if (offset > 0) {
            long last = U.getLong(o, (long) offset);
            if (last != 0) U.putLong(o, (long) offset, last | FOREIGN_BIT);
        } else {
            int hash = ReweaveHash.peek(o);
            // Without one no recorded thread has used it.
            if (hash <= 0) return;
            long cell = cells + ((long) (hash & CELLS - 1) << 3);
            if (U.getLong(cell) != 0) U.getAndBitwiseOrLong(null, cell, FOREIGN_BIT);
        }
    }

    /** Where the next event goes, or 0 if this thread records nothing now. */
    static long place(Thread t) {
        long p = t.$rwPos;
        return p < t.$rwEnd ? p : slow(t);
    }

    /** The fast path found no room: the thread is quiet, or outside, or its chunk is full. */
    @DontInline
    static long slow(Thread t) {
        if (t.$rwQuiet != 0 || t.$rwStream <= 0) return 0;
        long start = Reweave.chunk(t.$rwStream, t.$rwPos);
        if (start == 0) {
            Reweave.ready = false;
            return 0;
        }
        t.$rwBias = ((long) t.$rwStream << STREAM_SHIFT) + U.getLong(start - 40) - (start >>> 3);
        t.$rwEnd = start + U.getLong(start - 16) - 40;
        t.$rwPos = start;
        return start;
    }

    /** An event with a value and a link (0 for none); returns its own link, or 0 if nothing was recorded. */
    @DontInline
    static long value(Thread t, int kind, int site, long tag, long link, long value) {
        long p = place(t);
        if (p == 0) return 0;
        U.putLong(p + 16, value);
        U.putLong(p + 8, link);
        U.putLongRelease(null, p, head(kind, VALUED, site) | tag << TAG_SHIFT);
        t.$rwPos = p + 24;
        return t.$rwBias + (p >>> 3);
    }

    static long plain(Thread t, int kind, int site) {
        long p = place(t);
        if (p == 0) return 0;
        U.putLong(p, head(kind, SHORT, site));
        t.$rwPos = p + 8;
        return t.$rwBias + (p >>> 3);
    }

    /** An event on the permit and interrupt flag of {@code target}. */
    static long signal(Thread t, Thread target, int kind, int site, long value) {
        long p = place(t);
        if (p == 0) return 0;
        long me = t.$rwBias + (p >>> 3);
        long last = U.getAndSetLong(target, signalOffset, me);
        U.putLong(p + 16, value);
        U.putLong(p + 8, last);
        U.putLongRelease(null, p, head(kind, VALUED, site));
        t.$rwPos = p + 24;
        return me;
    }
}
