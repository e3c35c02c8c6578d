package java.lang;

import static java.lang.ReweaveEvent.*;
import static java.lang.ReweaveRule.*;

import java.io.FileDescriptor;

/**
 * Records what comes in from outside: methods of the JDK through which it comes call this (inputs/table.rs has the list, classfile/input.rs the code). Each call is one
 * event, with its result; what it filled is put beside the streams. All these events are in one order, in which a call that changes
 * something outside stands where it began, and one that asks where it ended: so what was seen comes after what made it so.
 */
public final class ReweaveInput {
    /** Order word of the outside world. */
    private static long last;
    /** A byte for each descriptor: whether calls on it are recorded. */
    private static long recorded;
    private static final int DESCRIPTORS = 1 << 20;

    private ReweaveInput() {}

    /** Puts bytes beside the event at that position of the stream. Stream 0 has facts, each by its site. */
    static native void data(int stream, long position, byte[] bytes, int from, int length);
    static native void memory(int stream, long position, long address, long length);
    /** Whether the fact is recorded already; if not, the caller does. */
    static native boolean knows(int site);
    /** Something could not be put there: the user is told, the program goes on. */
    static native void lost(String why);

    static void init(long memory) {
        ReweaveRule.init();
        last = memory;
        recorded = memory + 64;
        U.putByte(recorded, (byte) 1);
    }

    private static boolean off(Thread t) {
        return t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    public static boolean on(int rule) {
        return Reweave.ready && (action(rule) >= CLOSE || !off(Thread.currentThread()));
    }

    private static boolean isRecorded(int number) {
        return number >= 0 && number < DESCRIPTORS && U.getByte(recorded + number) != 0;
    }

    private static void record(int number) {
        if (number > 2 && number < DESCRIPTORS) U.putByte(recorded + number, (byte) 1);
    }

    public static boolean begin(Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        switch (action(rule)) {
            case FACT:
                return true;
            case CLOSE: {
                int number = number(arguments, rule);
                if (!isRecorded(number)) return false;
                // Before it is closed, since then others may get the number.
                if (number > 2) U.putByte(recorded + number, (byte) 0);
                if (off(t)) return false;
                break;
            }
            case OPEN:
                if (opensProgram(arguments, rule)) return false;
                break;
            default:
                if (hasNumber(rule) && !isRecorded(number(arguments, rule))) return false;
        }
        if (action(rule) != ASK) {
            long p = ReweaveLog.place(t);
            if (p != 0) arguments[arguments.length - 1] = U.getAndSetLong(null, last, t.$rwBias + (p >>> 3));
        }
        return true;
    }

    public static void gave(long result, Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        if (action(rule) == FACT && off(t)) {
            fact(t, result, site);
            return;
        }
        long p = ReweaveLog.place(t);
        if (p == 0) return;
        long me = t.$rwBias + (p >>> 3);
        ReweaveQuiet.enter(t);
        switch (gives(rule)) {
            case NUMBER: record((int) result); break;
            case TWO_NUMBERS:
                record((int) (result >>> 32));
                record((int) result);
                break;
            case PROCESS:
                // Its ends of the pipes.
                for (int number : (int[]) arguments[fillAt(rule)]) record(number);
                break;
            case OF_THIS:
                result = ReweaveRule.number(descriptorOf(arguments[0]));
                record((int) result);
                break;
            default:
        }
        try {
            filled(t.$rwStream, me, result, arguments, rule);
        } catch (Throwable e) {
            lost(e.toString());
        }
        ReweaveQuiet.leave(t);
        log(t, p, me, arguments, 0, site, result);
    }

    /** The environment as the VM gave it, to keep more of it when the program asks; until then, what the program asked for: a name, or an empty one for all. */
    private static byte[][] environment;
    private static String[] asked;

    /** The program asks for this variable; an empty name stands for all. */
    static void variable(Thread t, String name) {
        if (name == null || name.length() != 0 && !ReweaveSecrets.looksSecret(name)) return;
        synchronized (ReweaveSecrets.class) {
            if (environment == null) {
                int count = asked == null ? 0 : asked.length;
                String[] more = new String[count + 1];
                if (count > 0) System.arraycopy(asked, 0, more, 0, count);
                more[count] = name;
                asked = more;
                return;
            }
        }
        keep(t, name);
    }

    private static byte[][] masked(byte[][] all) {
        synchronized (ReweaveSecrets.class) {
            environment = all;
        }
        if (asked != null) for (String name : asked) keep(Thread.currentThread(), name);
        return ReweaveSecrets.masked(all);
    }

    private static void keep(Thread t, String name) {
        byte[][] all = environment;
        ReweaveQuiet.enter(t);
        for (int i = 1; i < all.length; i += 2) {
            if (ReweaveSecrets.isMasked(all, i) && ReweaveSecrets.isNamed(all[i - 1], name)) fact(t, all[i], ReweaveSecrets.site(all[i - 1]));
        }
        ReweaveQuiet.leave(t);
    }

    public static void gave(Object result, Object[] arguments, int rule, int site) {
        if (result instanceof byte[][]) result = masked((byte[][]) result);
        Thread t = Thread.currentThread();
        if (action(rule) == FACT && off(t)) {
            fact(t, result, site);
            return;
        }
        long p = ReweaveLog.place(t);
        if (p == 0) return;
        long me = t.$rwBias + (p >>> 3);
        ReweaveQuiet.enter(t);
        object(t.$rwStream, me, result);
        ReweaveQuiet.leave(t);
        log(t, p, me, arguments, 0, site, 0);
    }

    public static void threw(Throwable thrown, Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return;
        ReweaveQuiet.enter(t);
        clean(thrown);
        ReweaveQuiet.leave(t);
        long p = ReweaveLog.place(t);
        if (p == 0) return;
        long me = t.$rwBias + (p >>> 3);
        ReweaveQuiet.enter(t);
        object(t.$rwStream, me, thrown);
        ReweaveQuiet.leave(t);
        log(t, p, me, arguments, 1, site, 0);
    }

    private static void log(Thread t, long p, long me, Object[] arguments, long tag, int site, long value) {
        Object before = arguments[arguments.length - 1];
        long link = before == null ? U.getAndSetLong(null, last, me) : (Long) before;
        U.putLong(p + 16, value);
        U.putLong(p + 8, link);
        U.putLongRelease(null, p, ReweaveLog.head(ReweaveEvent.INPUT, VALUED, site) | tag << TAG_SHIFT);
        t.$rwPos = p + 24;
    }

    /** An event of a native method of the program, where it ended. */
    static void log(Thread t, long p, long me, long tag, int site, long value) {
        U.putLong(p + 16, value);
        U.putLong(p + 8, U.getAndSetLong(null, last, me));
        U.putLongRelease(null, p, ReweaveLog.head(ReweaveEvent.INPUT, VALUED, site) | tag << TAG_SHIFT);
        t.$rwPos = p + 24;
    }

    private static long position(long link) {
        return link & (1L << STREAM_SHIFT) - 1;
    }

    private static void object(int stream, long me, Object o) {
        try {
            ReweaveForm form = new ReweaveForm();
            form.write(o);
            put(stream, me, form);
        } catch (Throwable e) {
            lost(e.toString());
        }
    }

    private static void put(int stream, long me, ReweaveForm form) {
        byte[] bytes = form.toBytes();
        data(stream, position(me), bytes, 0, bytes.length);
    }

    static void fact(Thread t, Object value, int site) {
        ReweaveQuiet.enter(t);
        if (!knows(site)) object(0, site & 0xffffffffL, value);
        ReweaveQuiet.leave(t);
    }

    /** What the call filled besides its result. */
    private static void filled(int stream, long me, long result, Object[] arguments, int rule) {
        int at = fillAt(rule);
        switch (fill(rule)) {
            case BYTES:
                if (result > 0) data(stream, position(me), (byte[]) arguments[at], (Integer) arguments[at + 1], (int) result);
                return;
            case MEMORY:
                if (result > 0) memory(stream, position(me), (Long) arguments[at], result);
                return;
            case POLLED:
                if (result > 0) memory(stream, position(me), (Long) arguments[at], result * EPOLL_EVENT);
                return;
            case POLL_ARRAY:
                memory(stream, position(me), (Long) arguments[at], (long) (Integer) arguments[at + 1] * POLL_EVENT);
                return;
            case MAPPED:
                if (result != 0 && result != -1) memory(stream, position(me), result, (Long) arguments[at]);
                return;
            case EVENT:
                memory(stream, position(me), (Long) arguments[at], DISPLAY_EVENT);
                return;
            case SCATTERED:
                if (result > 0) scattered(stream, me, result, (Long) arguments[at]);
                return;
            case RECEIVED:
                if (result >= 0) received(stream, me, (int) result, arguments, at);
                return;
            default:
        }
        ReweaveForm form = new ReweaveForm();
        switch (fill(rule)) {
            case FIELDS:
                form.writeFields(arguments[at]);
                break;
            case ELEMENTS:
                for (int i = at; i < arguments.length - 1; i++) if (ReweaveForm.isArray(arguments[i])) form.writeElements(arguments[i]);
                break;
            case ACCEPTED: {
                int number = ReweaveRule.number((FileDescriptor) arguments[at]);
                record(number);
                form.put(number, 4);
                form.writeElements(arguments[at + 1]);
                break;
            }
            default:
                return;
        }
        put(stream, me, form);
    }

    private static void scattered(int stream, long me, long total, long vector) {
        byte[] bytes = new byte[(int) total];
        int done = 0;
        for (long at = vector; done < bytes.length; at += 16) {
            int length = (int) Math.min(U.getLong(at + 8), bytes.length - done);
            fromMemory(U.getLong(at), bytes, done, length);
            done += length;
        }
        data(stream, position(me), bytes, 0, bytes.length);
    }

    private static void received(int stream, long me, int length, Object[] arguments, int at) {
        byte[] bytes = new byte[SENDER + length];
        fromMemory((Long) arguments[at + 2], bytes, 0, SENDER);
        fromMemory((Long) arguments[at], bytes, SENDER, length);
        data(stream, position(me), bytes, 0, bytes.length);
    }
}
