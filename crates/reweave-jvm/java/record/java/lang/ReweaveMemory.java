package java.lang;

import static java.lang.ReweaveEvent.*;
import static java.lang.ReweaveLog.U;

import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import jdk.internal.vm.annotation.DontInline;

/**
 * Orders accesses to memory while a run is recorded. Not the accesses are logged but changes of hands: every object has a word that says who used it last, and a thread
 * that finds another's word there logs "my access n came after the other had completed c". Most words belong to one thread (EX), whose accesses then cost a few plain
 * instructions: it opens a window (an odd count) around the access, and a thread that wants the word asks the kernel for a barrier on all processors, waits until the
 * window is closed, and takes over. Words that many only read (RS) have the number of a generation: a thread that has come after all last users of words of that and
 * earlier generations reads them without more ado. A word that changes hands names a lock outside the heap (PX), which is taken for
 * each access and remembers the last one (a read or a write of a thread). Objects share locks, which adds order, but only order that there was.
 *
 * Every thread has a slot of memory outside the heap: its count (twice the completed accesses, plus one in a window), its own EX word, the address of a lock that it has
 * taken and what goes there, the last RS word that it may read, and which of its accesses RS words came after; and a second half for quiet sections, where nothing counts. Nothing of this is a reference: storing one would cost more than all the rest.
 */
public final class ReweaveMemory {
    static final int NEW = 0, EX = 1, PX = 2, LK = 3, RS = 4;
    /** States of locks; 0 is free and never used. */
    private static final int READ = 1, WRITTEN = 2, TAKEN_BY = 3;
    private static final int THREAD_SHIFT = 3, COUNT_SHIFT = 23, THREAD_BITS = 20;
    private static final long THREAD_MASK = ((1L << THREAD_BITS) - 1) << THREAD_SHIFT;
    /** In the line of stream 0: rules for tests; the generation of RS words. */
    private static final int EAGER = 8, GENERATION = 16;
    private static final int SLOT = 128, QUIET = 64, OWN = 8, HELD = 16, NEXT = 24, NAMED = 40;
    /** How often another thread used what this one had thought was private, and somebody wrote to what this one had thought was only read. */
    private static final int NOT_PRIVATE = 56, NOT_ONLY_READ = QUIET + 40;
    static final int READABLE = 32;
    /** RS words are the negative ones, in the order of their generations. No word is as small as this. */
    private static final long NONE = Long.MIN_VALUE;
    /** Words for objects that have none of their own, and which they share. */
    static final int SHARED = 1 << 18;
    /** Locks that words name, in a cache line each, and how many of them a thread uses for words that it makes change hands. */
    private static final int LOCKS = 1 << 16, LOCK_BYTES = 64, LOCKS_OF_THREAD = 64;
    /** In PX words: there was a write not long ago. */
    private static final long LATELY_WRITTEN = 1L << 40;
    private static final int SEEN = 64;
    /** With more streams than that no word is left to readers: whoever writes to it then has to look at all of them, one by one. */
    private static final int FEW = 4096;
    /** Instead of the place of a word, in classes without one. */
    private static final int TABLE = -1, ARRAY = -2;
    /** What an object that was taken away from its first user weighs against one that was made, and the sum for a class from which that is expected to happen. */
    private static final int TAKEN = 4096, OFTEN = 2 * TAKEN;

    /** Set by the agent. */
    static long slots, shared, locks, flags;
    static int slotCount;

    /** Takes over the tables that the agent has made. */
    static void init(long slots, int slotCount, long shared, long flags) {
        ReweaveMemory.slots = slots;
        ReweaveMemory.slotCount = slotCount;
        ReweaveMemory.shared = shared;
        // One table: these words, those of arrays, locks.
        locks = shared + (SHARED + ReweaveIds.WORDS) * 8L + LOCK_BYTES - 1 & -LOCK_BYTES;
        ReweaveMemory.flags = flags;
    }

    private ReweaveMemory() {}

    /** All processors see what the others have written. */
    static native void barrier();
    /** The class that declares the memory word of instances of this one, or null. */
    static native Class<?> wordClass(Class<?> type);

    /** Gives a stream that another starts its slot: what that one has come after, it comes after, too. */
    static long slot(int stream, Thread starter) {
        long slot = slot(stream), from = starter.$rwSlot;
        if (slot != 0 && from != 0) U.putLong(slot + READABLE, U.getLong(from + READABLE));
        return slot;
    }

    /** Gives a stream its slot; 0 if there are too many streams. */
    static long slot(int stream) {
        if (stream <= 0 || stream >= slotCount) return 0;
        long slot = slots + (long) stream * SLOT;
        U.putLong(slot + OWN, EX | (long) stream << THREAD_SHIFT);
        U.putLong(slot + READABLE, NONE);
        U.putLong(slot + QUIET + OWN, -1);
        U.putLong(slot + QUIET + READABLE, NONE);
        // Nobody has stream 0; its line says which number is the highest.
        for (int seen; (seen = U.getIntVolatile(null, slots)) < stream; ) U.compareAndSetInt(null, slots, seen, stream);
        return slot;
    }

    // Fast paths. Only threads of a recording that has begun have a slot.

    public static void reading(Object o, int site) {
        if (o == null) return;
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long offset = o.getClass().$rwMemory;
        if (offset > 0) {
            long word = U.getLong(o, offset);
            if (word != U.getLong(slot + OWN) && word > U.getLong(slot + READABLE)) slow(t, slot, o, offset, word, false, site);
        } else elsewhere(t, slot, o, 0, false, site);
    }

    public static void writing(Object o, int site) {
        if (o == null) return;
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long offset = o.getClass().$rwMemory;
        if (offset > 0) {
            long word = U.getLong(o, offset);
            if (word != U.getLong(slot + OWN)) slow(t, slot, o, offset, word, true, site);
        } else elsewhere(t, slot, o, 0, true, site);
    }

    /** Accesses by offset, as Unsafe makes them; without an object the offset is an address. False: nothing is to be recorded. */
    static boolean begin(Object o, long at, boolean write, int site) {
        if (o == null && at >>> 12 == 0) return false;
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0) return false;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long offset = o == null ? TABLE : o.getClass().$rwMemory;
        if (offset > 0) {
            long word = U.getLong(o, offset);
            if (word != U.getLong(slot + OWN) && (write || word > U.getLong(slot + READABLE))) slow(t, slot, o, offset, word, write, site);
        } else if (offset == ARRAY) {
            long word = U.getLong(ReweaveArrays.fast(U.getLong(o, 0L)));
            if (word != U.getLong(slot + OWN) && (write || word > U.getLong(slot + READABLE))) ReweaveArrays.begin(t, slot, o, write, site);
        } else elsewhere(t, slot, o, at, write, site);
        return true;
    }

    /** Begins an access that the helper makes itself to an object with a word. False: nothing is to be recorded. */
    static boolean enter(Thread t, Object o, int site) {
        long slot = t.$rwSlot;
        if (slot == 0) return false;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long offset = o.getClass().$rwMemory;
        if (offset > 0) {
            long word = U.getLong(o, offset);
            if (word != U.getLong(slot + OWN)) slow(t, slot, o, offset, word, true, site);
        } else elsewhere(t, slot, o, 0, true, site);
        return true;
    }

    /** Where synchronizers have their word, if their own class has no fields that are ordered. In a class of its own, so that it is a constant for the compiler. */
    private static final class Synchronizer {
        static final long WORD = U.objectFieldOffset(wordClass(AbstractQueuedSynchronizer.class), "$rwm");
    }

    /** The same for a synchronizer without such fields. */
    static boolean enterLock(Thread t, AbstractQueuedSynchronizer lock, int site) {
        long slot = t.$rwSlot;
        if (slot == 0) return false;
        long offset = Synchronizer.WORD;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        long word = U.getLong(lock, offset);
        if (word != U.getLong(slot + OWN)) slow(t, slot, lock, offset, word, true, site);
        return true;
    }

    /** Ends it; `at` is where in the object, `how` as ReweaveLocks has it. */
    static void leave(Object o, long at, int how, int site) {
        accessed();
    }

    public static void accessed() {
        long slot = Thread.currentThread().$rwSlot;
        if (slot == 0) return;
        U.storeFence();
        long count = U.getLong(slot);
        if ((count & 1) != 0) U.putLong(slot, count + 1);
        else release(slot, true);
    }

    public static void readingElement(Object array, int index, int site) {
        if (array != null && Integer.compareUnsigned(index, java.lang.reflect.Array.getLength(array)) < 0) element(array, false, site);
    }

    public static void writingElement(Object array, int index, int site) {
        if (array != null && Integer.compareUnsigned(index, java.lang.reflect.Array.getLength(array)) < 0) element(array, true, site);
    }

    /** A reference is about to be written, if the array can take it. */
    public static void storing(Object value, Object array, int index, int site) {
        if (array == null || value != null && !array.getClass().getComponentType().isInstance(value)) return;
        writingElement(array, index, site);
    }

    private static void element(Object array, boolean write, int site) {
        Thread t = Thread.currentThread();
        long slot = t.$rwSlot;
        if (slot == 0) return;
        U.putLong(slot, U.getLong(slot) | 1);
        U.storeFence();
        ReweaveArrays.begin(t, slot, array, write, site);
    }

    /** An object is about to be copied, words included. */
    public static void cloning(Object o, int site) {
        if (o instanceof Cloneable && hasWord(o)) reading(o, site);
    }

    public static void cloned(Object copy) {
        if (!hasWord(copy)) return;
        U.putLong(copy, copy.getClass().$rwMemory, NEW);
        accessed();
    }

    private static boolean hasWord(Object o) {
        Thread t = Thread.currentThread();
        if (t.$rwSlot == 0) return false;
        Class<?> type = o.getClass();
        if (type.$rwMemory == 0) locate(t, type);
        return type.$rwMemory > 0;
    }

    /** Finds out where the word is. That runs code of the JDK, which is not the program's doing. */
    private static void locate(Thread t, Class<?> type) {
        ReweaveQuiet.enter(t);
        Class<?> declaring = wordClass(type);
        type.$rwMemory = declaring != null ? U.objectFieldOffset(declaring, "$rwm") : type.isArray() ? ARRAY : TABLE;
        ReweaveQuiet.leave(t);
    }

    /** Statics share the word of the class that declares them. */
    public static void readingStatic(Class<?> type, int levels, int site) {
        while (levels-- > 0) type = type.getSuperclass();
        reading(type, site);
    }

    public static void writingStatic(Class<?> type, int levels, int site) {
        while (levels-- > 0) type = type.getSuperclass();
        writing(type, site);
    }

    // Fields of classes that were not loaded when the code that uses them was: now they are, and the agent has noted what they are.

    private static int flag(int field) {
        return Reweave.ready ? U.getByte(flags + field) : 0;
    }

    public static void readingIf(Object o, int field, int site) {
        if (flag(field) > 1) reading(o, site);
    }

    public static void writingIf(Object o, int field, int site) {
        if (flag(field) > 1) writing(o, site);
    }

    public static void readingStaticIf(Class<?> type, int field, int site) {
        int flag = flag(field);
        if (flag > 1) readingStatic(type, flag - 2, site);
    }

    public static void writingStaticIf(Class<?> type, int field, int site) {
        int flag = flag(field);
        if (flag > 1) writingStatic(type, flag - 2, site);
    }

    public static void accessedIf(int field) {
        if (flag(field) > 1) accessed();
    }

    // Slow paths. Not inlined: there is an access on every page of some programs, and the compiler would take seconds longer.

    /** The object's class has no word, or was not looked at yet. */
    @DontInline
    static void elsewhere(Thread t, long slot, Object o, long at, boolean write, int site) {
        if (U.getLong(slot + OWN) < 0) {
            U.putLong(slot, 0);
            return;
        }
        Class<?> type = o == null ? null : o.getClass();
        if (type != null && type.$rwMemory == 0) {
            U.putLong(slot, U.getLong(slot) & ~1L);
            locate(t, type);
            U.putLong(slot, U.getLong(slot) | 1);
            U.fullFence();
        }
        Object base = o;
        long offset;
        if (type == null) {
            // Memory outside the heap: a word for every cache line.
            offset = shared + (((at >>> 6) * 0x9e3779b97f4a7c15L >>> 40 & SHARED - 1) << 3);
        } else if ((offset = type.$rwMemory) < 0) {
            if (type.isArray()) {
                ReweaveArrays.begin(t, slot, o, write, site);
                return;
            }
            base = null;
            // Not System.identityHashCode, which may be an event.
            int hash = ReweaveHash.peek(o);
            if (hash <= 0) hash = ReweaveHash.original(o);
            offset = shared + ((long) (hash & SHARED - 1) << 3);
        }
        long word = U.getLong(base, offset);
        if (word != U.getLong(slot + OWN)) slow(t, slot, base, offset, word, write, site);
    }

    @DontInline
    static void slow(Thread t, long slot, Object base, long offset, long word, boolean write, int site) {
        if (!write && word <= U.getLong(slot + READABLE)) return;
        // First out of the window: two threads that take words from each other would wait for ever.
        long count = U.getLong(slot) & ~1L;
        U.putLong(slot, count);
        long own = U.getLong(slot + OWN);
        if (own < 0) return;
        // Left behind by an access that failed in the middle.
        if (U.getLong(slot + HELD) != 0) release(slot, false);
        if (U.getLong(slots + EAGER) != 0 && tooEager(t, slot, base, offset, word, write)) return;
        long n = (count >>> 1) + 1, me = own & THREAD_MASK;
        for (int tries = 0; ; word = U.getLongVolatile(base, offset)) {
            switch ((int) word & 7) {
                case EX:
                    if (word == own) {
                        U.putLong(slot, count | 1);
                        U.storeFence();
                        if (U.getLong(base, offset) == word) return;
                        U.putLong(slot, count);
                    } else if (U.compareAndSetLong(base, offset, word, LK | me)) {
                        long stream = (word & THREAD_MASK) >>> THREAD_SHIFT;
                        order(t, n, site, stream, takeFrom(stream));
                        if (base != null) base.getClass().$rwTaken = Math.min(base.getClass().$rwTaken + TAKEN, 1 << 20);
                        makeShared(t, slot, base, offset, n, me, write, site);
                        return;
                    }
                    continue;
                case NEW:
                    if (base == null || !willBeTaken(base.getClass())) {
                        U.compareAndSetLong(base, offset, word, own);
                    } else if (U.compareAndSetLong(base, offset, word, LK | me)) {
                        makeShared(t, slot, base, offset, n, me, write, site);
                        return;
                    }
                    continue;
                case RS:
                    if (U.getLong(slot + READABLE) < word) comeAfterAll(t, slot, n, site);
                    if (!write) {
                        U.putLong(slot, count | 1);
                        U.fullFence();
                        if (U.getLong(base, offset) == word) return;
                        U.putLong(slot, count);
                    } else if (U.compareAndSetLong(base, offset, word, LK | me)) {
                        wasWrong((word & THREAD_MASK) >>> THREAD_SHIFT, NOT_ONLY_READ);
                        barrier();
                        for (int k = 1, all = U.getIntVolatile(null, slots); k <= all; k++) {
                            boolean mayHaveRead = U.getLongVolatile(null, slots + (long) k * SLOT + READABLE) >= word;
                            if (mayHaveRead && (long) k << THREAD_SHIFT != me) order(t, n, site, k, completed(k));
                        }
                        makeShared(t, slot, base, offset, n, me, true, site);
                        return;
                    }
                    continue;
                case PX:
                    long lock = lock(word), last = U.getLong(lock);
                    if (((int) last & 7) == TAKEN_BY || !U.compareAndSetLong(null, lock, last, TAKEN_BY | me)) break;
                    if (U.getLong(base, offset) != word) {
                        U.putLongRelease(null, lock, last);
                        continue;
                    }
                    boolean mine = (last & THREAD_MASK) == me;
                    // One in so many accesses decides that the word is private, or only read, from now on, unless that was wrong too often.
                    if (oneIn(6, n)) {
                        long claimed = claim(slot, n, own, word, last, mine, write);
                        if (claimed != word) {
                            U.putLongRelease(base, offset, claimed);
                            U.putLongRelease(null, lock, last);
                            continue;
                        }
                    }
                    if (write && (word & LATELY_WRITTEN) == 0) U.putLongRelease(base, offset, word | LATELY_WRITTEN);
                    if (!mine) order(t, n, site, (last & THREAD_MASK) >>> THREAD_SHIFT, last >>> COUNT_SHIFT);
                    hold(slot, lock, n, me, write);
                    return;
                default:
            }
            if (!Reweave.ready) return;
            if (++tries > 200) Thread.yield();
            else Thread.onSpinWait();
        }
    }

    /** The lock that a PX word names. */
    private static long lock(long word) {
        return locks + (word >>> THREAD_SHIFT & LOCKS - 1) * LOCK_BYTES;
    }

    /** What a PX word, whose lock is taken, is better replaced by; the word itself if that is not known. */
    private static long claim(long slot, long n, long own, long word, long last, boolean mine, boolean write) {
        if ((word & LATELY_WRITTEN) == 0) {
            if (!write && U.getInt(slots) < FEW && isRarelyWrong(slot, NOT_ONLY_READ, n)) return forReaders(last, own & THREAD_MASK);
        } else if (!write && oneIn(10, n)) return word & ~LATELY_WRITTEN;
        return mine && isRarelyWrong(slot, NOT_PRIVATE, n) ? own : word;
    }

    /** An RS word of a new generation, for what was last used as the lock says. */
    private static long forReaders(long last, long me) {
        long named = slots + ((last & THREAD_MASK) >>> THREAD_SHIFT) * SLOT + NAMED, count = last >>> COUNT_SHIFT;
        for (long was; (was = U.getLongVolatile(null, named)) < count && !U.compareAndSetLong(null, named, was, count); ) {}
        // Whoever sees this generation sees what was named before it began.
        long generation = U.getAndAddLong(null, slots + GENERATION, 1) + 1;
        return NONE | generation << COUNT_SHIFT | me | RS;
    }

    /** After this, all RS words of today may be read: their last users are done. */
    private static void comeAfterAll(Thread t, long slot, long n, int site) {
        long generation = U.getLongVolatile(null, slots + GENERATION);
        for (int k = 1, all = U.getIntVolatile(null, slots); k <= all; k++) {
            long named = U.getLongVolatile(null, slots + (long) k * SLOT + NAMED);
            if (named != 0 && k != t.$rwStream) order(t, n, site, k, named);
        }
        U.putLong(slot + READABLE, NONE | generation << COUNT_SHIFT | (1L << COUNT_SHIFT) - 1);
    }

    /** The word is locked (LK) by this thread: from now on it names one of the thread's locks, which is taken for the access that is to come. */
    private static void makeShared(Thread t, long slot, Object base, long offset, long n, long me, boolean write, int site) {
        long number = (me >>> THREAD_SHIFT) * LOCKS_OF_THREAD + (n & LOCKS_OF_THREAD - 1) & LOCKS - 1;
        long lock = locks + number * LOCK_BYTES, last;
        for (int tries = 0; ; ) {
            last = U.getLongVolatile(null, lock);
            if (((int) last & 7) != TAKEN_BY && U.compareAndSetLong(null, lock, last, TAKEN_BY | me)) break;
            if (!Reweave.ready) return;
            if (++tries > 200) Thread.yield();
            else Thread.onSpinWait();
        }
        if ((last & THREAD_MASK) != me) order(t, n, site, (last & THREAD_MASK) >>> THREAD_SHIFT, last >>> COUNT_SHIFT);
        U.putLongRelease(base, offset, PX | number << THREAD_SHIFT | (write ? LATELY_WRITTEN : 0));
        hold(slot, lock, n, me, write);
    }

    /** The lock is taken, and given back by `accessed`. */
    private static void hold(long slot, long lock, long n, long me, boolean write) {
        U.putLong(slot + NEXT, (write ? WRITTEN : READ) | me | n << COUNT_SHIFT);
        U.putLong(slot + HELD, lock);
    }

    /** For tests alone: rules that leave out more than they may. A read of what the thread has read before; a write to an object that others only read. */
    private static Object[] lately;

    private static boolean tooEager(Thread t, long slot, Object base, long offset, long word, boolean write) {
        long rules = U.getLong(slots + EAGER);
        if (lately == null) lately = new Object[SEEN];
        boolean again = !write && base != null && lately[t.$rwStream & SEEN - 1] == base;
        if (!write) lately[t.$rwStream & SEEN - 1] = base;
        boolean onlyRead = ((int) word & 7) == PX && ((int) U.getLong(lock(word)) & 7) == READ;
        boolean skips = (rules & 1) != 0 && again || (rules & 2) != 0 && write && onlyRead;
        if (skips) U.putLong(slot, U.getLong(slot) | 1);
        return skips;
    }

    /** Words that a thread thought were private, or only read, are rarely used otherwise: asking all processors for a barrier takes as long as thousands of accesses. */
    private static boolean isRarelyWrong(long slot, int what, long n) {
        return U.getLong(slot + what) << 14 <= n;
    }

    private static void wasWrong(long stream, int what) {
        U.getAndAddLong(null, slots + stream * SLOT + what, 1);
    }

    /** True for one number in 2^bits, without a pattern that a loop in the program could have, too. */
    private static boolean oneIn(int bits, long n) {
        return n * 0x9e3779b97f4a7c15L >>> 64 - bits == 0;
    }

    /** Whether objects of this class tend to be taken away from the thread that made them. Racy, which does no harm. */
    private static boolean willBeTaken(Class<?> type) {
        int taken = type.$rwTaken;
        if (taken == 0) return false;
        type.$rwTaken = taken - 1;
        return taken >= OFTEN;
    }

    /** The word of another thread is locked by this one; afterwards that thread has seen it. Returns its completed accesses. */
    private static long takeFrom(long stream) {
        wasWrong(stream, NOT_PRIVATE);
        barrier();
        return completed((int) stream);
    }

    static long completed(int stream) {
        long slot = slots + (long) stream * SLOT;
        long count = U.getLongVolatile(null, slot), now = count;
        // The access under way may be to the word in question: it has to be over.
        for (int tries = 0; (count & 1) != 0 && (now = U.getLongVolatile(null, slot)) == count; ) {
            if (!Reweave.ready) break;
            if (++tries > 1000) Thread.yield();
            else Thread.onSpinWait();
        }
        return now >>> 1;
    }

    /** How many accesses of that stream are known to be over. */
    private static long seen(Thread t, long stream) {
        long seen = t.$rwSeen;
        if (seen == 0) return 0;
        long entry = seen + (stream & SEEN - 1) * 16;
        return U.getLong(entry) == stream ? U.getLong(entry + 8) : 0;
    }

    /** Logs that access n of this thread comes after so many of another, unless that follows from what was logged before. */
    @DontInline
    static void order(Thread t, long n, int site, long stream, long completed) {
        if (completed == 0) return;
        if (seen(t, stream) >= completed) return;
        if (t.$rwSeen == 0) {
            t.$rwSeen = U.allocateMemory(SEEN * 16);
            U.setMemory(t.$rwSeen, SEEN * 16, (byte) 0);
        }
        long entry = t.$rwSeen + (stream & SEEN - 1) * 16;
        // What that thread has completed by now is also over: later accesses to its things then need no event.
        long now = U.getLongVolatile(null, slots + stream * SLOT) >>> 1;
        if (now > completed) completed = now;
        U.putLong(entry, stream);
        U.putLong(entry + 8, completed);
        ReweaveLog.value(t, ORDER, site, 0, stream << STREAM_SHIFT | completed, n);
    }

    @DontInline
    static void release(long slot, boolean done) {
        giveBack(slot, done);
    }

    static void giveBack(long slot, boolean done) {
        long lock = U.getLong(slot + HELD);
        if (lock == 0) return;
        U.putLong(slot + HELD, 0);
        if (done) U.putLong(slot, U.getLong(slot) + 2);
        U.putLongRelease(null, lock, U.getLong(slot + NEXT));
    }

    /** Ends a stream: whoever takes over its words finds its count. */
    static void forget(Thread t) {
        if (t.$rwSlot != 0) release(t.$rwSlot, false);
        long seen = t.$rwSeen;
        t.$rwSeen = 0;
        if (seen != 0) U.freeMemory(seen);
    }
}
