import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Racing threads find and call methods, constructors and fields by reflection; the JDK fills its caches on the way.
 * May vary: who fills them, which must not show, and the order of the calls, which does.
 */
public class Reflection {
    static final AtomicInteger calls = new AtomicInteger();

    /** Only ever used by reflection. */
    static class Target {
        int value = calls.incrementAndGet();

        int add(int amount) {
            return value += amount + calls.incrementAndGet();
        }

        static int twice(int number) {
            return number * 2 + calls.incrementAndGet();
        }
    }

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 40; round++) {
                work(5_000);
                try {
                    Class<?> type = Class.forName("Reflection$Target");
                    Constructor<?> constructor = type.getDeclaredConstructor();
                    Object target = constructor.newInstance();
                    Method add = type.getDeclaredMethod("add", int.class);
                    Method twice = type.getDeclaredMethod("twice", int.class);
                    Field value = type.getDeclaredField("value");
                    note((int) add.invoke(target, round));
                    note((int) twice.invoke(null, number));
                    note(value.getInt(target));
                    note(type.getDeclaredMethods().length);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        private void note(long value) {
            hash = hash * 31 + value;
        }

        private void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) throws Exception {
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash));
        }
        System.out.println("calls " + calls.get());
    }
}
