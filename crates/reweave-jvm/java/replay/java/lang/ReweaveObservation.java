package java.lang;

import static java.lang.ReweaveEvent.*;

import jdk.internal.misc.Unsafe;

/**
 * Writes down what a replayed program does: one record of fixed size for each access and each synchronization, into memory that is mapped to a file. A record's place is
 * taken with one atomic addition, so the file has one order for all threads. observation.rs in reweave-analysis reads it.
 */
final class ReweaveObservation {
    /** Kinds of records, as in observation.rs. Of an element 8 more, of a range of elements 16. */
    static final int READ = 1, WRITE = 2, VOLATILE_READ = 3, VOLATILE_WRITE = 4, UPDATE = 5, ELEMENT = 8, RANGE = 16;
    static final int TAKEN = 32, LEFT = 33, GIVEN_UP = 34, TAKEN_BACK = 35, STARTED = 36, ENDED = 37, JOINED = 38, PARKED = 39, UNPARKED = 40, INIT = 41, INIT_END = 42,
            MADE = 43, INTERRUPTS = 44, WAS_INTERRUPTED = 45, NOTIFIED = 46, CLASS = 47, USED = 48;

    /** Whether anything is written at all. */
    static boolean on;
    private static boolean values, stacks;
    /** Whether there has been one thread only, whose accesses come before all others and are of no interest. */
    private static boolean alone;
    private static long log, limit, watched;
    private static int size, watchMask;
    /** Where the debugger is to stop: stream and number of an access, as in {@link #name}. */
    private static long stopAt;

    private ReweaveObservation() {}

    /** Called by the agent. The memory begins with the place of the next record, the size of records and the end. */
    static void init(long log, boolean values, boolean stacks, boolean shared, long watched, int watchMask, long stopAt) {
        Unsafe u = ReweaveMemory.Memory.U;
        ReweaveObservation.values = values;
        ReweaveObservation.stacks = stacks;
        alone = shared;
        ReweaveObservation.watched = watched;
        ReweaveObservation.watchMask = watchMask;
        ReweaveObservation.stopAt = stopAt;
        ReweaveObservation.log = log;
        if (log != 0) {
            size = (int) u.getLong(log + 8);
            limit = u.getLong(log + 16);
        }
        ReweaveSites.init();
        ReweaveElements.init();
        ReweaveObjects.init();
        on = true;
    }

    /** The number of a stack, as text from the innermost frame on. */
    static native int stack(String frames);

    private static long name(int stream, long number) {
        return (long) stream << 40 | number;
    }

    // Accesses

    /** Where a slot has the place of an access among those that count as one. */
    private static final int WITHIN = 40;

    /** The next access counts as one with the one before. */
    static void also() {
        Thread t = Thread.currentThread();
        done();
        if (t.$rwSlot != 0) ReweaveMemory.Memory.U.putLong(t.$rwSlot + WITHIN, ReweaveMemory.Memory.U.getLong(t.$rwSlot + WITHIN) + 1);
    }

    /** All accesses that count as one are made. */
    static void allDone() {
        Thread t = Thread.currentThread();
        done();
        if (t.$rwSlot != 0) ReweaveMemory.Memory.U.putLong(t.$rwSlot + WITHIN, 0);
    }

    static void field(Object o, Class<?> type, boolean write, int site) {
        Thread t = Thread.currentThread();
        if (!on || t.$rwSlot == 0 || t.$rwQuiet != 0) return;
        long facts = ReweaveSites.of(t, type, o == type, site);
        if (facts < 0) return;
        boolean isVolatile = (facts & ReweaveSites.VOLATILE) != 0;
        if (!isVolatile && (facts & ReweaveSites.NO_PLAIN) != 0) return;
        access(t, (write ? WRITE : READ) + (isVolatile ? 2 : 0), site, o, (int) facts, (char) (facts >>> 32 & 0x7f));
    }

    static void element(Object array, int index, boolean write, int site) {
        Thread t = Thread.currentThread();
        if (!on || t.$rwSlot == 0 || t.$rwQuiet != 0 || ReweaveSites.of(t, null, false, site) != 0) return;
        access(t, (write ? WRITE : READ) + ELEMENT, site, array, index, '[');
    }

    /** Some elements in a row. */
    static void range(Object array, int index, int length, boolean write, int site) {
        Thread t = Thread.currentThread();
        if (!on || length == 0 || t.$rwSlot == 0 || t.$rwQuiet != 0 || ReweaveSites.of(t, null, false, site) != 0) return;
        if (length == 1) access(t, (write ? WRITE : READ) + ELEMENT, site, array, index, ' ');
        else access(t, (write ? WRITE : READ) + RANGE, site, array, index, length);
    }

    /** An access by Unsafe is done; others are not told yet. */
    static void unsafe(Object o, long at, int kind, char type, int site) {
        Thread t = Thread.currentThread();
        if (!on || o == null || t.$rwSlot == 0 || t.$rwQuiet != 0) return;
        long facts = ReweaveSites.of(t, null, false, site);
        if (facts < 0) return;
        Class<?> of = o.getClass();
        if (kind <= WRITE && ((facts & ReweaveSites.NO_PLAIN) != 0 || of.getName().startsWith("java.util.concurrent."))) return;
        if (!of.isArray()) access(t, kind, site, o, (int) at, type);
        else access(t, kind + ELEMENT, site, o, ReweaveElements.index(of, at), '[');
        done();
    }

    /** `type` is that of the value, as in descriptors; '[' for that of the array's elements, ' ' for none; of a range its length. */
    private static void access(Thread t, int kind, int site, Object o, int part, int type) {
        Unsafe u = ReweaveMemory.Memory.U;
        // Up to sixteen accesses count as one.
        long number = u.getLong(t.$rwSlot) + 1 << 4 | u.getLong(t.$rwSlot + WITHIN), name = name(t.$rwStream, number);
        if (name == stopAt) Reweave.stop();
        int stack = kind >= RANGE ? type : 0;
        if (watched != 0) {
            if (!isWatched(name)) return;
            stack = stackOf(t);
        } else if (alone || log == 0) return;
        else if (stacks && stack == 0) stack = stackOf(t);
        long id = ReweaveObjects.of(t, o);
        if (id < 0 && (kind & 7) <= WRITE) return;
        long at = room();
        if (at == 0) return;
        u.putLong(at + 8, number);
        u.putLong(at + 16, id);
        u.putLong(at + 24, part & 0xffffffffL | (long) stack << 32);
        if (values && kind < RANGE) {
            t.$rwCache = o;
            t.$rwSeen = (long) type << 32 | part & 0xffffffffL;
            t.$rwPos = at + 32;
        }
        finish(t, at, kind, site);
    }

    private static boolean isWatched(long name) {
        Unsafe u = ReweaveMemory.Memory.U;
        for (int i = ReweaveSites.mix((int) (name ^ name >>> 32)) & watchMask; ; i = i + 1 & watchMask) {
            long known = u.getLong(watched + i * 8L);
            if (known == name) return true;
            if (known == 0) return false;
        }
    }

    /** The access that was written down last has been made: now its value is there. */
    static void done() {
        Thread t = Thread.currentThread();
        long at = t.$rwPos;
        if (at == 0 || t.$rwQuiet != 0) return;
        Object o = t.$rwCache;
        t.$rwPos = 0;
        t.$rwCache = null;
        ReweaveMemory.Memory.U.putLong(at, ReweaveObjects.value(t, o, (int) (t.$rwSeen >>> 32), (int) t.$rwSeen));
    }

    static void made(Object o) {
        Thread t = Thread.currentThread();
        if (on && !alone && log != 0 && t.$rwSlot != 0 && t.$rwQuiet == 0) ReweaveObjects.of(t, o);
    }

    /** Room for a record, or 0. */
    private static long room() {
        long at = ReweaveMemory.Memory.U.getAndAddLong(null, log, size);
        return at + size <= limit ? log + at : 0;
    }

    /** Last of all: a record without a kind is not finished. */
    private static void finish(Thread t, long at, int kind, int site) {
        ReweaveMemory.Memory.U.putLongRelease(null, at, kind | (long) (t.$rwStream & 0xffffff) << 8 | (long) site << 32);
    }

    private static int stackOf(Thread t) {
        ReweaveQuiet.enter(t);
        try {
            StringBuilder text = new StringBuilder();
            for (StackTraceElement frame : ReweaveQuiet.clean(t, new Throwable()).getStackTrace()) {
                if (text.length() > 0) text.append('\t');
                text.append(frame.getClassName()).append('.').append(frame.getMethodName()).append('(').append(frame.getFileName()).append(':').append(frame.getLineNumber()).append(')');
            }
            return stack(text.toString());
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    // Everything else

    /** A record about an object, or about another stream. */
    static void note(Thread t, int kind, int site, long object, long part) {
        if (log == 0 || watched != 0 || t.$rwStream <= 0) return;
        long at = room();
        if (at == 0) return;
        Unsafe u = ReweaveMemory.Memory.U;
        u.putLong(at + 8, t.$rwSlot == 0 ? 0 : u.getLong(t.$rwSlot));
        u.putLong(at + 16, object);
        u.putLong(at + 24, part);
        finish(t, at, kind, site);
    }

    static void lock(Thread t, int kind, int site, Object o) {
        if (log != 0 && t.$rwSlot != 0) note(t, kind, site, ReweaveObjects.of(t, o), 0);
    }

    /** An event that has nothing to be done in its turn: the turn has come, and it is not done yet. */
    static void step(Thread t, int kind, int site, Object o, long value) {
        if (log == 0 || watched != 0) return;
        Thread other = o instanceof Thread ? (Thread) o : t;
        switch (kind) {
            case START: case HOOK:
                alone = false;
                note(t, STARTED, site, value, (long) stackOf(t) << 32);
                break;
            case JOIN:
                if ((value & 0xff) == DONE) note(t, JOINED, site, other.$rwStream, 0);
                else if ((value & 0xff) == INTERRUPTED) note(t, WAS_INTERRUPTED, site, t.$rwStream, 0);
                break;
            case VALUE:
                if (o instanceof Thread && value == 0) note(t, JOINED, site, other.$rwStream, 0);
                break;
            case PARK:
                note(t, PARKED, site, 0, 0);
                break;
            case UNPARK:
                note(t, UNPARKED, site, other.$rwStream, 0);
                break;
            case INTERRUPT:
                note(t, INTERRUPTS, site, other.$rwStream, 0);
                break;
            case INTERRUPT_CHECK:
                if ((value & 1) != 0) note(t, WAS_INTERRUPTED, site, other.$rwStream, 0);
                break;
            case SLEEP:
                if (value == INTERRUPTED) note(t, WAS_INTERRUPTED, site, t.$rwStream, 0);
                break;
            case NOTIFY: case NOTIFY_ALL:
                note(t, NOTIFIED, site, ReweaveObjects.of(t, o), 0);
                break;
            case CLASS_INIT:
                note(t, INIT, site, value, 0);
                break;
            case CLASS_INIT_END:
                note(t, INIT_END, site, 0, 0);
                break;
            default:
        }
    }
}
