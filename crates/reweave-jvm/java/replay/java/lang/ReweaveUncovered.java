package java.lang;

/** Stands in front of native methods of the JDK whose answers vary and are not recorded: they are called, and the agent remembers that they were. */
public final class ReweaveUncovered {
    private ReweaveUncovered() {}

    /** The stream made this call. */
    private static native void called(int stream, int site);

    public static boolean on(int rule) {
        Thread t = Thread.currentThread();
        return Reweave.ready && t.$rwStream > 0 && t.$rwQuiet == 0;
    }

    public static boolean begin(Object[] arguments, int rule, int site) {
        called(Thread.currentThread().$rwStream, site);
        return false;
    }

    public static boolean really(Object[] arguments, int rule) {
        return false;
    }

    public static void did(long result, Object[] arguments, int rule) {}

    public static void did(Object result, Object[] arguments, int rule) {}

    public static long fed(Object[] arguments, int rule, int site) {
        return 0;
    }

    public static Object fedObject(Object[] arguments, int rule, int site) {
        return null;
    }
}
