package java.lang;

import static java.lang.ReweaveEvent.*;
import static java.lang.ReweaveNatives.*;

/**
 * Records what native methods of the program brought in: results, what was thrown, and what was written into arrays of numbers. In a replay they are called again, so that
 * whatever they keep to themselves is there, and then what was recorded takes the place of what they gave.
 */
public final class ReweaveNative {
    private ReweaveNative() {}

    /** Whether memory of this process is there: the number is one that only this run can use. */
    private static native boolean isAddress(long number);

    private static boolean off(Thread t) {
        return t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    public static boolean on(int rule) {
        return Reweave.ready && !off(Thread.currentThread());
    }

    /** The last of the arguments keeps what the arrays among them hold now. */
    public static boolean begin(Object[] arguments, int rule, int site) {
        long[] digests = null;
        for (int i = 0; i < arguments.length - 1; i++) {
            if (!isArray(arguments[i])) continue;
            if (digests == null) digests = new long[arguments.length];
            digests[i] = digest(arguments[i]);
        }
        arguments[arguments.length - 1] = digests;
        return true;
    }

    public static void gave(long result, Object[] arguments, int rule, int site) {
        // Where libraries and their memory are, not what an int or a float may be.
        boolean own = (result >>> 32) != 0 && (result >>> 47) == 0 && isAddress(result);
        log(null, false, own ? OWN : 0, result, arguments, site);
    }

    public static void gave(Object result, Object[] arguments, int rule, int site) {
        boolean kept = isKept(result);
        // One of its arguments is what the program has, not a copy.
        for (Object argument : arguments) if (argument == result && result != null) kept = false;
        log(result, kept, kept ? 0 : OWN, 0, arguments, site);
    }

    public static void threw(Throwable thrown, Object[] arguments, int rule, int site) {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        ReweaveRule.clean(thrown);
        ReweaveQuiet.leave(t);
        boolean kept = isKept(thrown);
        log(thrown, kept, kept ? THREW : THREW | OWN, 0, arguments, site);
    }

    private static void log(Object object, boolean kept, int tag, long value, Object[] arguments, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return;
        long p = ReweaveLog.place(t);
        if (p == 0) return;
        long me = t.$rwBias + (p >>> 3);
        long[] digests = (long[]) arguments[arguments.length - 1];
        if (kept || digests != null) {
            ReweaveQuiet.enter(t);
            try {
                ReweaveForm form = new ReweaveForm();
                if (kept) form.write(object);
                boolean filled = false;
                for (int i = 0; digests != null && i < digests.length - 1; i++) {
                    if (!isArray(arguments[i]) || digest(arguments[i]) == digests[i]) continue;
                    filled = true;
                    form.put(i, 1);
                    form.writeElements(arguments[i]);
                }
                if (kept || filled) {
                    byte[] bytes = form.toBytes();
                    ReweaveInput.data(t.$rwStream, me & (1L << STREAM_SHIFT) - 1, bytes, 0, bytes.length);
                }
            } catch (Throwable e) {
                ReweaveInput.lost(e.toString());
            }
            ReweaveQuiet.leave(t);
        }
        ReweaveInput.log(t, p, me, tag, site, value);
    }
}
