package java.lang;

/** Stands for the helper in tests of the rewriter: every call does what the original call did, and nothing else. */
public final class ReweaveStub {
    private ReweaveStub() {}

    public static void acquiring(Object lock, int site) {}
    public static void acquired(Object lock, int site) {}
    public static void released() {}
    public static void enter() {}
    public static void leave() {}
    public static void initialiserEnter(int hash) {}
    public static void initialiserLeave() {}
    public static void entered(int site) {}
    public static void entered(Object self, int site) {}
    public static void entered(Object self, Object argument, int site) {}
    public static void marked(int site) {}
    public static void unmarked() {}
    public static void used(Class<?> type) {}
    public static void reading(Object object, int site) {}
    public static void writing(Object object, int site) {}
    public static void readingIf(Object object, int field, int site) {}
    public static void writingIf(Object object, int field, int site) {}
    public static void readingStatic(Class<?> type, int levels, int site) {}
    public static void writingStatic(Class<?> type, int levels, int site) {}
    public static void readingStaticIf(Class<?> type, int field, int site) {}
    public static void writingStaticIf(Class<?> type, int field, int site) {}
    public static void readingElement(Object array, int index, int site) {}
    public static void writingElement(Object array, int index, int site) {}
    public static void storing(Object value, Object array, int index, int site) {}
    public static void cloning(Object object, int site) {}
    public static void cloned(Object copy) {}
    public static void made(Object object) {}
    public static void accessed() {}
    public static void accessedIf(int field) {}
    public static String argument(String argument) { return argument; }

    public static void await(Object lock, int site) throws InterruptedException { lock.wait(); }
    public static void await(Object lock, long millis, int site) throws InterruptedException { lock.wait(millis); }
    public static void await(Object lock, long millis, int nanos, int site) throws InterruptedException { lock.wait(millis, nanos); }
    public static void signal(Object lock, int site) { lock.notify(); }
    public static void signalAll(Object lock, int site) { lock.notifyAll(); }
    public static int hash(Object object, int site) { return object.hashCode(); }
    public static long nanoTime(int site) { return System.nanoTime(); }
    public static long currentTimeMillis(int site) { return System.currentTimeMillis(); }
    public static void interrupt(Thread thread, int site) { thread.interrupt(); }
    public static boolean interrupted(int site) { return Thread.interrupted(); }
    public static int size(java.util.List<?> list, int site) { return list.size(); }
    public static Object get(java.util.Map<?, ?> map, Object key, int site) { return map.get(key); }
    public static String text(StringBuilder builder, int site) { return builder.toString(); }
    public static void copy(Object from, int at, Object to, int there, int length, int site) { System.arraycopy(from, at, to, there, length); }
    public static Object copy(Object array, int site) { return copy(array); }
    public static long max(long a, long b, int site) { return Math.max(a, b); }

    // For method handles: the same without the site.
    public static void copy(Object from, int at, Object to, int there, int length) { System.arraycopy(from, at, to, there, length); }
    public static Object copy(Object array) {
        int length = java.lang.reflect.Array.getLength(array);
        Object copy = java.lang.reflect.Array.newInstance(array.getClass().getComponentType(), length);
        System.arraycopy(array, 0, copy, 0, length);
        return copy;
    }
    public static void await(Object lock) throws InterruptedException { lock.wait(); }
    public static void signal(Object lock) { lock.notify(); }
    public static void signalAll(Object lock) { lock.notifyAll(); }
    public static int hash(Object object) { return object.hashCode(); }
    public static long nanoTime() { return System.nanoTime(); }
    public static long currentTimeMillis() { return System.currentTimeMillis(); }
    public static void interrupt(Thread thread) { thread.interrupt(); }
    public static boolean interrupted() { return Thread.interrupted(); }
    public static int size(java.util.List<?> list) { return list.size(); }
    public static Object get(java.util.Map<?, ?> map, Object key) { return map.get(key); }
    public static String text(StringBuilder builder) { return builder.toString(); }
    public static long max(long a, long b) { return Math.max(a, b); }
}
