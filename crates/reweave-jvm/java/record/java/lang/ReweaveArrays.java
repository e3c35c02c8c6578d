package java.lang;

import static java.lang.ReweaveLog.U;
import static java.lang.ReweaveMemory.EX;
import static java.lang.ReweaveMemory.LK;
import static java.lang.ReweaveMemory.NEW;

import java.lang.reflect.Array;
import jdk.internal.vm.annotation.DontInline;

/**
 * Orders accesses to arrays while a run is recorded. An array's word is in a table, at the place that its identity hash says. The first access gives it one: the next
 * number of the stream that makes it, so that the words of one thread's arrays are neighbours and belong to that thread already. The hash is set while the word is the
 * thread's: whoever sees it comes later.
 */
public final class ReweaveArrays {
    private static final int OWN = 8, THREAD_SHIFT = 3;
    private static final long THREADS = (1 << 20) - 1;

    /** Set when recording begins. */
    static long words;

    private ReweaveArrays() {}

    /** Where the hash is in a header, and which bits of it are a place in the table; none if that is not known. */
    private static int shift;
    private static long bits;

    static void init(long address) {
        words = address;
        shift = ReweaveHash.shift;
        bits = ReweaveHash.works() ? ReweaveIds.WORDS - 1 : 0;
    }

    private static long word(int hash) {
        int place = hash & ReweaveIds.WORDS - 1;
        return words + ((long) (place == 0 ? 1 : place) << 3);
    }

    /** The word of the array with this header. Nobody ever has the first word, which is given for arrays without a hash, or if it cannot be seen at once. */
    static long fast(long header) {
        return ((int) header & 3) == 1 ? words + ((header >>> shift & bits) << 3) : words;
    }

    /** Begins an access; the window is open. */
    @DontInline
    static void begin(Thread t, long slot, Object array, boolean write, int site) {
        long own = U.getLong(slot + OWN);
        if (own < 0) {
            U.putLong(slot, 0);
            return;
        }
        for (;;) {
            int hash = ReweaveHash.peek(array);
            if (hash < 0) {
                // Another thread has locked the array, and may wait for this one.
                U.putLong(slot, U.getLong(slot) & ~1L);
                hash = ReweaveHash.see(array);
                if (hash < 0) hash = ReweaveHash.original(array);
                reopen(slot);
            }
            if (hash == 0) {
                long at = mine(t, slot, site);
                long word = U.getLong(at);
                if (word != own) ReweaveMemory.slow(t, slot, null, at, word, write, site);
                if (install(t, slot, array)) return;
                // Another thread was faster.
                if ((U.getLong(slot) & 1) == 0) {
                    ReweaveMemory.release(slot, false);
                    reopen(slot);
                }
                continue;
            }
            long at = word(hash), word = U.getLong(at);
            if (word != own) ReweaveMemory.slow(t, slot, null, at, word, write, site);
            return;
        }
    }

    private static void reopen(long slot) {
        U.putLong(slot, U.getLong(slot) | 1);
        U.fullFence();
    }

    /** The word of the next array that this thread is the first to use. */
    private static long mine(Thread t, long slot, int site) {
        long made = U.getLong(slot + ReweaveIds.MADE);
        long at = word(ReweaveIds.of(t.$rwStream, made));
        if ((made & ReweaveIds.BLOCK - 1) == 0) {
            U.putLong(slot, U.getLong(slot) & ~1L);
            claim(t, slot, word(ReweaveIds.of(t.$rwStream, made) & -ReweaveIds.BLOCK), site);
            reopen(slot);
        }
        return at;
    }

    private static boolean install(Thread t, long slot, Object array) {
        long made = U.getLong(slot + ReweaveIds.MADE);
        int hash = ReweaveIds.of(t.$rwStream, made);
        if (ReweaveHash.install(array, hash) != hash) return false;
        U.putLong(slot + ReweaveIds.MADE, made + 1);
        return true;
    }

    /** Makes a block of words this thread's own; those of arrays that another thread has left behind all at once, because asking for a barrier takes long. */
    private static void claim(Thread t, long slot, long block, int site) {
        long own = U.getLong(slot + OWN), locked = own & ~7L | LK, n = (U.getLong(slot) >>> 1) + 1;
        long[] owners = null;
        for (int i = 0; i < ReweaveIds.BLOCK; i++) {
            long at = block + i * 8L, word = U.getLongVolatile(null, at);
            if (at == words) continue;
            if (word == NEW) U.compareAndSetLong(null, at, NEW, own);
            else if (((int) word & 7) == EX && word != own && U.compareAndSetLong(null, at, word, locked)) {
                if (owners == null) owners = new long[ReweaveIds.BLOCK];
                owners[i] = word >>> THREAD_SHIFT & THREADS;
            }
        }
        if (owners == null) return;
        ReweaveMemory.barrier();
        long last = 0;
        for (int i = 0; i < ReweaveIds.BLOCK; i++) {
            if (owners[i] == 0) continue;
            if (owners[i] != last) ReweaveMemory.order(t, n, site, last = owners[i], ReweaveMemory.completed((int) last));
            U.putLongRelease(null, block + i * 8L, own);
        }
    }

    // Many elements at once

    /** In place of System.arraycopy: a read and a write. */
    public static void copy(Object from, int fromIndex, Object to, int toIndex, int length, int site) {
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0 || t.$rwQuiet != 0 || !ReweaveBulk.valid(from, fromIndex, to, toIndex, length)) {
            ReweaveBulk.raw(t, from, fromIndex, to, toIndex, length);
            return;
        }
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        if (isMine(t, slot, from) && isMine(t, slot, to)) {
            try {
                System.arraycopy(from, fromIndex, to, toIndex, length);
            } catch (ArrayStoreException e) {
                U.putLong(slot, U.getLong(slot) + 3);
                throw ReweaveQuiet.clean(t, e);
            }
            U.storeFence();
            U.putLong(slot, U.getLong(slot) + 3);
        } else slowCopy(t, slot, from, fromIndex, to, toIndex, length, site);
    }

    /** Whether the array's word is this thread's; the window is open. */
    private static boolean isMine(Thread t, long slot, Object array) {
        int hash = ReweaveHash.peek(array);
        long own = U.getLong(slot + OWN);
        if (hash > 0) return U.getLong(word(hash)) == own;
        long made = U.getLong(slot + ReweaveIds.MADE);
        return hash == 0 && (made & ReweaveIds.BLOCK - 1) != 0 && U.getLong(word(ReweaveIds.of(t.$rwStream, made))) == own && install(t, slot, array);
    }

    /** Both words at once could be waited for in a circle: what is read is kept until it is written. */
    @DontInline
    private static void slowCopy(Thread t, long slot, Object from, int fromIndex, Object to, int toIndex, int length, int site) {
        Object kept = Array.newInstance(from.getClass().getComponentType(), length);
        begin(t, slot, from, false, site);
        System.arraycopy(from, fromIndex, kept, 0, length);
        ReweaveMemory.accessed();
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        begin(t, slot, to, true, site);
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
        System.arraycopy(array, 0, copy, 0, length);
        ReweaveMemory.accessed();
        return copy;
    }

    public static void copy(Object from, int fromIndex, Object to, int toIndex, int length) { copy(from, fromIndex, to, toIndex, length, 0); }
    public static Object clone(Object array) { return clone(array, 0); }
}
