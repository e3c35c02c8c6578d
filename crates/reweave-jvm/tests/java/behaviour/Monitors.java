public class Monitors {
    static class Counter {
        int value;
        synchronized int add(int amount) {
            if (amount == 0) return value;
            try {
                value += 12 / (amount - 1);
                return value;
            } catch (ArithmeticException failure) {
                if (value > 100) throw failure;
                return -1;
            } finally {
                value++;
            }
        }
        synchronized void fail() { throw new UnsupportedOperationException("as asked"); }
        static synchronized long twice(long value, Object local) { local = null; return 2 * value; }
        synchronized Object swap(Object other) { Object local = other; return local; }
    }

    static void step(String text) { System.out.println(text); }

    public static void main(String[] arguments) {
        Counter counter = new Counter();
        step("plain " + counter.add(0));
        step("try " + counter.add(2));
        step("catch " + counter.add(1));
        counter.value = 1000;
        try { counter.add(1); } catch (ArithmeticException failure) { step("rethrown"); }
        try { counter.fail(); } catch (UnsupportedOperationException failure) { step("thrown " + failure.getMessage()); }
        step("static " + Counter.twice(21, ""));
        step("swap " + counter.swap("other"));
        step("free " + !Thread.holdsLock(counter) + " " + !Thread.holdsLock(Counter.class));
        Object block = new Object();
        synchronized (block) { synchronized (counter) { step("inside"); } }
        Helper.poisoned = block;
        try { synchronized (block) { step("never"); } } catch (IllegalStateException failure) { step("block " + failure.getMessage()); }
        Helper.poisoned = counter;
        try { counter.add(5); } catch (IllegalStateException failure) { step("method " + failure.getMessage()); }
        step("free " + !Thread.holdsLock(counter) + " " + !Thread.holdsLock(block));
    }
}
