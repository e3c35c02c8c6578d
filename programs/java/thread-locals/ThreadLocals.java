import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * ThreadLocals in a pool, given out by a common counter, and InheritableThreadLocals that children take over and change.
 * May vary: which thread has which number, and what was inherited at which moment.
 */
public class ThreadLocals {
    private static final AtomicInteger numbers = new AtomicInteger();
    private static final ThreadLocal<Integer> mine = ThreadLocal.withInitial(numbers::incrementAndGet);
    private static final ThreadLocal<StringBuilder> path = new InheritableThreadLocal<>() {
        @Override
        protected StringBuilder initialValue() {
            return new StringBuilder("root");
        }

        @Override
        protected StringBuilder childValue(StringBuilder parent) {
            return new StringBuilder(parent).append('/').append(numbers.incrementAndGet());
        }
    };
    private static final StringBuilder log = new StringBuilder();

    private static void task(int number) {
        int x = number + 1;
        for (int i = 0; i < 5_000; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        path.get().append(number % 10);
        synchronized (log) {
            log.append(mine.get()).append(x == 0 ? "" : path.get().toString()).append(' ');
        }
        if (number % 11 == 0) {
            mine.remove();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        mine.get();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Thread parent = new Thread(() -> {
            for (int i = 0; i < 8; i++) {
                path.get().append(i);
                Thread child = new Thread(() -> task(mine.get()));
                child.start();
                task(i);
                try {
                    child.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }, "parent");
        parent.start();
        for (int i = 0; i < 60; i++) {
            int number = i;
            pool.execute(() -> task(number));
        }
        pool.shutdown();
        parent.join();
        System.out.println("ended " + pool.awaitTermination(10, TimeUnit.SECONDS) + " main " + mine.get() + " " + path.get());
        System.out.println("numbers " + numbers.get());
        System.out.println("log " + Integer.toHexString(log.toString().hashCode()));
    }
}
