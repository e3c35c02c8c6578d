package java.lang;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

/** What recording and replay share: quiet sections, exceptions without our frames, commands of child JVMs. */
final class ReweaveQuiet {
    /** Set by the agent: what to add to the command line of a child JVM; null if children are left alone. */
    static String[] childOptions;
    private static int children;

    private ReweaveQuiet() {}

    /** Starts a section whose events are not the program's. The counters balance because every caller leaves in a finally or handler. */
    static void enter(Thread t) {
        if (t.$rwQuiet++ == 0) {
            t.$rwSaved = t.$rwEnd;
            t.$rwEnd = 0;
            if (t.$rwSlot != 0) t.$rwSlot += QUIET_HALF;
        }
    }

    /** The half of a slot of memory where accesses do not count. */
    private static final int QUIET_HALF = 64;

    static void leave(Thread t) {
        if (t.$rwQuiet > 0 && --t.$rwQuiet == 0) {
            t.$rwEnd = t.$rwSaved;
            if (t.$rwSlot != 0) t.$rwSlot -= QUIET_HALF;
        }
    }

    /** Takes the frames of this package's helpers out of a stack trace, so that the program prints what it prints without us. */
    static <E extends Throwable> E clean(Thread t, E e) {
        enter(t);
        try {
            StackTraceElement[] all = e.getStackTrace();
            StackTraceElement[] rest = new StackTraceElement[all.length];
            int kept = 0;
            String wrapper = null;
            int wrapperLine = 0;
            for (StackTraceElement frame : all) {
                if (frame.getClassName().startsWith("java.lang.Reweave")) continue;
                String method = frame.getMethodName();
                if (method.startsWith("$rw$")) {
                    // A redirected method: its frame gets its name back, and the frames that only passed the call on go.
                    wrapper = method.substring(4);
                    wrapperLine = 0;
                    frame = new StackTraceElement(null, frame.getModuleName(), null, frame.getClassName(), wrapper,
                            frame.getFileName(), frame.getLineNumber());
                } else if (method.equals(wrapper) && (wrapperLine == 0 || frame.getLineNumber() == wrapperLine)) {
                    wrapperLine = frame.getLineNumber();
                    continue;
                } else wrapper = null;
                rest[kept++] = frame;
            }
            StackTraceElement[] exact = new StackTraceElement[kept];
            System.arraycopy(rest, 0, exact, 0, kept);
            e.setStackTrace(exact);
        } finally {
            leave(t);
        }
        return e;
    }

    /** Throws it again without our frames. */
    static RuntimeException rethrow(Thread t, Throwable e) {
        throw ReweaveQuiet.<RuntimeException>sneak(clean(t, e));
    }

    /** Throws a checked exception where the compiler does not expect one. */
    @SuppressWarnings("unchecked")
    static <E extends Throwable> RuntimeException sneak(Throwable e) throws E {
        throw (E) e;
    }

    /** Mark of a call that has no site: a method reference. */
    private static final int NOWHERE = -1;

    static int site(int mark) {
        return mark == NOWHERE ? 0 : mark;
    }

    /** Calls what the target's class has; virtual threads and subclasses have methods of their own. Thread's, if it comes to that, finds the mark. */
    static void interrupt(Thread target, int site) {
        Thread t = Thread.currentThread();
        t.$rwMark = site == 0 ? NOWHERE : site;
        try {
            target.interrupt();
        } catch (RuntimeException e) {
            throw clean(t, e);
        } finally {
            t.$rwMark = 0;
        }
    }

    static boolean isInterrupted(Thread target, int site) {
        Thread t = Thread.currentThread();
        t.$rwMark = site == 0 ? NOWHERE : site;
        try {
            return target.isInterrupted();
        } catch (RuntimeException e) {
            throw clean(t, e);
        } finally {
            t.$rwMark = 0;
        }
    }

    /**
     * The JDK's own workers follow the outside world and not the program: those that wait for child processes, and those that carry virtual threads
     * (a class that not every JDK has, hence its name).
     */
    static boolean isWorker(Thread t) {
        // A thread that cleans up for the program does what the program says.
        if (t instanceof jdk.internal.misc.InnocuousThread) return !t.getName().startsWith("Cleaner-");
        return t.getClass().getName().equals("jdk.internal.misc.CarrierThread");
    }

    /**
     * The thread that gets events from the display. The JDK starts it when it needs it first, often in a static initialiser, so who started it says nothing; it is
     * known by its name.
     */
    static boolean isSource(Thread t) {
        return "AWT-XAWT".equals(t.getName());
    }

    static boolean isVirtual(Thread t) {
        return t.getClass().getName().equals("java.lang.VirtualThread");
    }

    /** Of what those wait for who join a virtual thread: it exists only if somebody came to do so before the end. */
    static void countDown(java.util.concurrent.CountDownLatch latch) {
        Thread t = Thread.currentThread();
        enter(t);
        latch.countDown();
        leave(t);
    }

    /** The VM makes the exception, so that it looks as it did. */
    static void noThread(Thread t) {
        try {
            ((Thread) null).isAlive();
        } catch (NullPointerException e) {
            throw clean(t, e);
        }
    }

    /** 1 or 2 if the stream writes to standard output or error, else 0. */
    static int descriptor(FileOutputStream out) {
        try {
            FileDescriptor fd = out.getFD();
            return fd == FileDescriptor.out ? 1 : fd == FileDescriptor.err ? 2 : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    static int hash(byte[] bytes, int from, int length) {
        int h = 0x811c9dc5;
        for (int i = from; i < from + length; i++) h = (h ^ (bytes[i] & 0xff)) * 0x01000193;
        return h;
    }

    /** Up to eight bytes from there, as a number. */
    static long eight(byte[] bytes, int from) {
        long value = 0;
        for (int i = 0; i < 8 && from + i < bytes.length; i++) value |= (bytes[from + i] & 0xffL) << 8 * i;
        return value;
    }

    static void putEight(byte[] bytes, int from, long value) {
        for (int i = 0; i < 8 && from + i < bytes.length; i++) bytes[from + i] = (byte) (value >>> 8 * i);
    }

    /** The command of a child process; with our options if it is a JVM. Child k of a process gets k in its path, in both modes. */
    static String[] childCommand(String[] command) {
        String[] options = childOptions;
        if (options == null || command == null || command.length == 0) return command;
        String program = command[0];
        if (program == null || !(program.equals("java") || program.endsWith("/java"))) return command;
        for (String word : command) if (word != null && word.startsWith(options[0])) return command;
        int k;
        synchronized (ReweaveQuiet.class) {
            k = ++children;
        }
        String[] result = new String[command.length + options.length];
        result[0] = program;
        for (int i = 0; i < options.length; i++) result[i + 1] = options[i];
        result[1] = options[0].concat(".").concat(Integer.toString(k));
        for (int i = 1; i < command.length; i++) result[i + options.length] = command[i];
        return result;
    }
}
