package java.lang;

import static java.lang.ReweaveNatives.*;

/** Gives back what native methods of the program brought in, after it has called them again. */
public final class ReweaveNative {
    private ReweaveNative() {}

    private static boolean off(Thread t) {
        return t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    public static boolean on(int rule) {
        return Reweave.ready && !off(Thread.currentThread());
    }

    public static boolean begin(Object[] arguments, int rule, int site) {
        return true;
    }

    public static boolean really(Object[] arguments, int rule) {
        return true;
    }

    public static void did(long result, Object[] arguments, int rule) {
        arguments[arguments.length - 1] = result;
    }

    public static void did(Object result, Object[] arguments, int rule) {
        arguments[arguments.length - 1] = result;
    }

    public static long fed(Object[] arguments, int rule, int site) {
        Object own = arguments[arguments.length - 1];
        long result = own instanceof Long ? (Long) own : 0;
        Thread t = Thread.currentThread();
        if (!Reweave.turn(t, ReweaveEvent.INPUT, site, null)) return result;
        int tag = ReweaveInput.threw(t.$rwStream);
        if ((tag & OWN) == 0) result = Reweave.value(t.$rwStream);
        finish(t, arguments, tag, (tag & THREW) != 0);
        return result;
    }

    public static Object fedObject(Object[] arguments, int rule, int site) {
        Object own = arguments[arguments.length - 1];
        Thread t = Thread.currentThread();
        if (!Reweave.turn(t, ReweaveEvent.INPUT, site, null)) return own;
        int tag = ReweaveInput.threw(t.$rwStream);
        Object recorded = finish(t, arguments, tag, (tag & OWN) == 0);
        return (tag & OWN) == 0 ? recorded : own;
    }

    /** Fills arrays as they were filled, and throws what was thrown; else the recorded result. */
    private static Object finish(Thread t, Object[] arguments, int tag, boolean kept) {
        byte[] bytes = ReweaveInput.bytes(t.$rwStream);
        Object object = null;
        ReweaveQuiet.enter(t);
        try {
            if (bytes != null) {
                ReweaveForm form = new ReweaveForm(bytes);
                if (kept && (tag & OWN) == 0) object = form.read();
                while (form.hasMore()) {
                    int index = (int) form.take(1);
                    form.readElements(arguments[index]);
                }
            }
        } finally {
            ReweaveQuiet.leave(t);
        }
        Reweave.after(t.$rwStream);
        if ((tag & THREW) != 0) ReweaveInput.fail(t, object);
        return object;
    }
}
