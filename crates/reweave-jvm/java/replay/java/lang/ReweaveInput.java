package java.lang;

import static java.lang.ReweaveRule.*;

import java.io.FileDescriptor;

/**
 * Gives back what came in from outside: methods of the JDK through which it came call this (inputs/table.rs has the list, classfile/input.rs the code). Nothing outside
 * is asked or changed. Descriptors that were opened in the recording have numbers here that no real one has.
 */
public final class ReweaveInput {
    /** Added to the numbers of descriptors that exist in the recording only. */
    static final int AWAY = 1 << 13;
    /** Whether files are changed as they were. */
    private static boolean effects;

    private ReweaveInput() {}

    /** The tag of the event that was let pass: 1 if the call threw; for native methods of the program see ReweaveNatives. */
    static native int threw(int stream);
    /** What it filled, as a new array; null if nothing. */
    static native byte[] bytes(int stream);
    /** Copies what it filled; at most as much as fits. */
    static native void feedArray(int stream, byte[] array, int from, int length);
    static native void feedMemory(int stream, long address, long length);
    /** Memory that holds what a mapped file held. */
    static native long feedMapped(int stream, long length);
    /** A fact that the JDK asked for, or null. */
    static native byte[] fact(int site);
    /** The descriptor gets another number. */
    static native void move(int from, int to);

    static void init(boolean sideEffects) {
        effects = sideEffects;
        ReweaveRule.init();
    }

    private static boolean off(Thread t) {
        return t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    public static boolean on(int rule) {
        return Reweave.ready && (action(rule) >= CLOSE || !off(Thread.currentThread()));
    }

    public static boolean begin(Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        boolean off = off(t);
        switch (action(rule)) {
            case FACT:
                if (off) return fact(site) != null;
                break;
            case CLOSE:
                if (number(arguments, rule) < AWAY) return false;
                if (off) return true;
                break;
            case OPEN:
                if (opensProgram(arguments, rule)) return false;
                break;
            default:
                if (hasNumber(rule)) {
                    int number = number(arguments, rule);
                    if (number < AWAY && number != 0) return false;
                }
        }
        return Reweave.turn(t, ReweaveEvent.INPUT, site, null);
    }

    /** Whether the call is to be made, too: it changes a file and the user wants that, or it is about a child that is replayed. */
    public static boolean really(Object[] arguments, int rule) {
        if (repeatable(rule) && arguments[0] instanceof Process) return ReweaveChildren.really(arguments, rule);
        if (!effects || !repeatable(rule) || (threw(Thread.currentThread().$rwStream) & 1) != 0) return false;
        return action(rule) != OPEN || opensForWriting(arguments, rule);
    }

    /** The call was made; its result. */
    public static void did(long result, Object[] arguments, int rule) {
        if (gives(rule) == PROCESS) ReweaveChildren.started((int) result, arguments, rule);
        if (action(rule) != OPEN) return;
        int number = gives(rule) == OF_THIS ? ReweaveRule.number(descriptorOf(arguments[0])) : (int) result;
        move(number, (int) Reweave.value(Thread.currentThread().$rwStream) + AWAY);
    }

    public static void did(Object result, Object[] arguments, int rule) {}

    public static long fed(Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return action(rule) == FACT ? (Long) fact(t, site) : 0;
        int stream = t.$rwStream;
        boolean threw = (threw(stream) & 1) != 0;
        long value = Reweave.value(stream);
        Object thrown = null;
        ReweaveQuiet.enter(t);
        try {
            if (threw) thrown = object(bytes(stream));
            else value = give(stream, value, arguments, rule);
        } finally {
            ReweaveQuiet.leave(t);
        }
        Reweave.after(stream);
        if (threw) fail(t, thrown);
        return value;
    }

    /** The environment, with those secrets for which the program asked. */
    private static byte[][] unmasked(Thread t, byte[][] environment) {
        for (int i = 1; i < environment.length; i += 2) {
            if (!ReweaveSecrets.isMasked(environment, i)) continue;
            Object secret = fact(t, ReweaveSecrets.site(environment[i - 1]));
            if (secret != null) environment[i] = (byte[]) secret;
        }
        return environment;
    }

    public static Object fedObject(Object[] arguments, int rule, int site) {
        Object o = recorded(arguments, rule, site);
        return o instanceof byte[][] ? unmasked(Thread.currentThread(), (byte[][]) o) : o;
    }

    private static Object recorded(Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return fact(t, site);
        int stream = t.$rwStream;
        boolean threw = (threw(stream) & 1) != 0;
        Object o;
        ReweaveQuiet.enter(t);
        try {
            o = object(bytes(stream));
        } finally {
            ReweaveQuiet.leave(t);
        }
        Reweave.after(stream);
        if (threw) fail(t, o);
        return o;
    }

    static Object fact(Thread t, int site) {
        ReweaveQuiet.enter(t);
        try {
            return object(fact(site));
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    private static Object object(byte[] bytes) {
        return bytes == null ? null : new ReweaveForm(bytes).read();
    }

    static void fail(Thread t, Object o) {
        // The VM would have cleared it.
        if (o instanceof InterruptedException) Thread.$rw$interrupted();
        Throwable thrown = o == null ? new InternalError("reweave: the recording has no exception here") : (Throwable) o;
        ReweaveQuiet.enter(t);
        try {
            thrown.fillInStackTrace();
            clean(thrown);
        } finally {
            ReweaveQuiet.leave(t);
        }
        throw ReweaveQuiet.<RuntimeException>sneak(thrown);
    }

    static int away(int number) {
        return number < 0 ? number : number + AWAY;
    }

    /** Fills what was filled; the result. */
    private static long give(int stream, long value, Object[] arguments, int rule) {
        int at = fillAt(rule);
        switch (fill(rule)) {
            case BYTES:
                if (value > 0) feedArray(stream, (byte[]) arguments[at], (Integer) arguments[at + 1], (int) value);
                break;
            case MEMORY:
                if (value > 0) feedMemory(stream, (Long) arguments[at], value);
                break;
            case POLLED:
                if (value > 0) polled(stream, (Long) arguments[at], (int) value);
                break;
            case POLL_ARRAY:
                pollArray(stream, (Long) arguments[at], (Integer) arguments[at + 1]);
                break;
            case MAPPED:
                if (value != 0 && value != -1) value = feedMapped(stream, (Long) arguments[at]);
                break;
            case EVENT:
                feedMemory(stream, (Long) arguments[at], DISPLAY_EVENT);
                U.putLong((Long) arguments[at] + DISPLAY, (Long) arguments[0]);
                break;
            case SCATTERED:
                if (value > 0) scattered(bytes(stream), (Long) arguments[at]);
                break;
            case RECEIVED:
                if (value >= 0) received(bytes(stream), arguments, at);
                break;
            case FIELDS: {
                byte[] bytes = bytes(stream);
                if (bytes != null) new ReweaveForm(bytes).readFields(arguments[at]);
                break;
            }
            case ELEMENTS: {
                byte[] bytes = bytes(stream);
                ReweaveForm form = new ReweaveForm(bytes);
                if (bytes != null) for (int i = at; i < arguments.length - 1; i++) if (ReweaveForm.isArray(arguments[i])) form.readElements(arguments[i]);
                break;
            }
            case ACCEPTED: {
                byte[] bytes = bytes(stream);
                if (bytes == null) break;
                ReweaveForm form = new ReweaveForm(bytes);
                setNumber((FileDescriptor) arguments[at], away((int) form.take(4)));
                form.readElements(arguments[at + 1]);
                break;
            }
            default:
        }
        switch (gives(rule)) {
            case NUMBER: return away((int) value);
            case TWO_NUMBERS: return (long) away((int) (value >>> 32)) << 32 | away((int) value);
            case PROCESS: return ReweaveChildren.number(value, arguments, rule);
            case OF_THIS:
                setNumber(descriptorOf(arguments[0]), away((int) value));
                return 0;
            default: return value;
        }
    }

    /** Each event has flags and, behind them, the number of its descriptor. */
    private static void polled(int stream, long address, int count) {
        feedMemory(stream, address, (long) count * EPOLL_EVENT);
        for (int i = 0; i < count; i++) {
            long at = address + (long) i * EPOLL_EVENT + 4;
            U.putInt(at, away(U.getInt(at)));
        }
    }

    private static void pollArray(int stream, long address, int count) {
        feedMemory(stream, address, (long) count * POLL_EVENT);
        for (int i = 0; i < count; i++) {
            long at = address + (long) i * POLL_EVENT;
            U.putInt(at, away(U.getInt(at)));
        }
    }

    private static void scattered(byte[] bytes, long vector) {
        if (bytes == null) return;
        int done = 0;
        for (long at = vector; done < bytes.length; at += 16) {
            int length = (int) Math.min(U.getLong(at + 8), bytes.length - done);
            toMemory(U.getLong(at), bytes, done, length);
            done += length;
        }
    }

    private static void received(byte[] bytes, Object[] arguments, int at) {
        if (bytes == null) return;
        toMemory((Long) arguments[at + 2], bytes, 0, SENDER);
        toMemory((Long) arguments[at], bytes, SENDER, bytes.length - SENDER);
    }
}
