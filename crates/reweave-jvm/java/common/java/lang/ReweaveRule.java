package java.lang;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import jdk.internal.misc.Unsafe;

/** Takes the rules of inputs/mod.rs apart, and finds what a call is about among its arguments. */
final class ReweaveRule {
    static final int ASK = 0, EFFECT = 1, OPEN = 2, CLOSE = 3, FACT = 4;
    static final int BYTES = 1, MEMORY = 2, SCATTERED = 3, POLLED = 4, POLL_ARRAY = 5, FIELDS = 6, ELEMENTS = 7, ACCEPTED = 8, RECEIVED = 9, MAPPED = 10, EVENT = 11;
    static final int NUMBER = 1, TWO_NUMBERS = 2, OF_THIS = 3, PROCESS = 4;
    private static final int KEY_OF_THIS = 1, KEY_DESCRIPTOR = 2, KEY_NUMBER = 3, KEY_PATH = 4, KEY_PATH_AT = 5;

    /** Sizes of what the kernel writes: an event of epoll, one of poll, the address of a sender. */
    static final int EPOLL_EVENT = 12, POLL_EVENT = 8, SENDER = 28;
    /** An event of the X Window System, and where in it the address of the connection stands. */
    static final int DISPLAY_EVENT = 192, DISPLAY = 24;

    static final Unsafe U = Unsafe.getUnsafe();
    private static long numberOffset;
    /** Where the JDK is: files below are not inputs. */
    private static String home;

    private ReweaveRule() {}

    /** Copies between memory and an array. */
    static native void fromMemory(long address, byte[] bytes, int from, int length);
    static native void toMemory(long address, byte[] bytes, int from, int length);

    static void init() {
        numberOffset = U.objectFieldOffset(FileDescriptor.class, "fd");
        home = System.getProperty("java.home").concat("/");
    }

    static int action(int rule) {
        return rule >> 16 & 7;
    }

    static int gives(int rule) {
        return rule >> 20 & 7;
    }

    static int fill(int rule) {
        return rule >> 8 & 15;
    }

    static int fillAt(int rule) {
        return rule >> 12 & 15;
    }

    static boolean repeatable(int rule) {
        return (rule & 1 << 23) != 0;
    }

    private static int key(int rule) {
        return rule & 15;
    }

    static int keyAt(int rule) {
        return rule >> 4 & 15;
    }

    static int number(FileDescriptor descriptor) {
        return descriptor == null ? -1 : U.getInt(descriptor, numberOffset);
    }

    static void setNumber(FileDescriptor descriptor, int number) {
        if (descriptor != null) U.putInt(descriptor, numberOffset, number);
    }

    /** Whether the call is about a descriptor. */
    static boolean hasNumber(int rule) {
        int key = key(rule);
        return key != 0 && key <= KEY_NUMBER;
    }

    /** The number of the descriptor that the call is about. */
    static int number(Object[] arguments, int rule) {
        switch (key(rule)) {
            case KEY_OF_THIS: return number(descriptorOf(arguments[0]));
            case KEY_DESCRIPTOR: return number((FileDescriptor) arguments[keyAt(rule)]);
            case KEY_NUMBER: return (Integer) arguments[keyAt(rule)];
            default: return -1;
        }
    }

    static FileDescriptor descriptorOf(Object file) {
        try {
            if (file instanceof FileInputStream) return ((FileInputStream) file).getFD();
            if (file instanceof FileOutputStream) return ((FileOutputStream) file).getFD();
            if (file instanceof RandomAccessFile) return ((RandomAccessFile) file).getFD();
        } catch (IOException e) {
            return null;
        }
        return (FileDescriptor) U.getReference(file, U.objectFieldOffset(file.getClass(), "fd"));
    }

    /** Whether the file that is about to be opened holds the program or belongs to the JDK: it has to be there in a replay, too. */
    static boolean opensProgram(Object[] arguments, int rule) {
        Object path = arguments[keyAt(rule)];
        if (key(rule) == KEY_PATH) {
            String name = (String) path;
            return name != null && (name.endsWith(".jar") || name.startsWith(home));
        }
        if (key(rule) != KEY_PATH_AT) return false;
        long at = (Long) path;
        int length = 0;
        while (U.getByte(at + length) != 0) length++;
        return matches(at + length - 4, ".jar", length) || matches(at, home, length);
    }

    private static boolean matches(long at, String text, int available) {
        if (text.length() > available) return false;
        for (int i = 0; i < text.length(); i++) if (U.getByte(at + i) != (byte) text.charAt(i)) return false;
        return true;
    }

    /** Whether the file is opened for writing. */
    static boolean opensForWriting(Object[] arguments, int rule) {
        if (arguments[0] instanceof FileInputStream) return false;
        if (arguments[0] instanceof FileOutputStream) return true;
        Object mode = arguments[keyAt(rule) + 1];
        // RandomAccessFile has numbers of its own: 1 reads, 2 reads and writes. The kernel's: 1 writes, 2 reads and writes.
        return ((Integer) mode & (arguments[0] instanceof RandomAccessFile ? 2 : 3)) != 0;
    }

    /** Makes a stack trace look as if the call had gone to the native method itself. */
    static <E extends Throwable> E clean(E thrown) {
        StackTraceElement[] all = thrown.getStackTrace();
        int from = 0;
        while (from < all.length && isOurs(all[from])) from++;
        if (from == all.length || from == 0) return thrown;
        StackTraceElement[] rest = new StackTraceElement[all.length - from];
        System.arraycopy(all, from, rest, 0, rest.length);
        StackTraceElement called = rest[0];
        rest[0] = new StackTraceElement(null, called.getModuleName(), null, called.getClassName(), called.getMethodName(), called.getFileName(), -2);
        thrown.setStackTrace(rest);
        return thrown;
    }

    private static boolean isOurs(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.lang.Reweave") || frame.getMethodName().startsWith("$rw$");
    }
}
