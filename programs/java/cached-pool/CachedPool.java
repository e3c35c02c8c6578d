import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A cached pool, fed by two threads: a task gets a thread that happens to be idle, or a new one.
 * May vary: how many threads there are, and which runs which task.
 */
public class CachedPool {
    private static final AtomicInteger threads = new AtomicInteger();
    private static final ThreadFactory factory = task -> new Thread(task, "t" + threads.incrementAndGet());
    private static final ExecutorService pool = Executors.newCachedThreadPool(factory);

    static final class Feeder extends Thread {
        private long hash = 17;

        Feeder(String name) {
            super(name);
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < 60; i++) {
                    int number = i;
                    Future<String> one = pool.submit(() -> Thread.currentThread().getName() + work(number, 3_000));
                    Future<String> two = pool.submit(() -> Thread.currentThread().getName() + work(number, 2_000));
                    hash = hash * 31 + one.get().hashCode();
                    hash = hash * 31 + two.get().hashCode();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static long work(long seed, int rounds) {
        long x = seed * 2 + 1;
        for (int i = 0; i < rounds; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    public static void main(String[] args) throws InterruptedException {
        Feeder[] feeders = {new Feeder("a"), new Feeder("b")};
        for (Feeder feeder : feeders) {
            feeder.start();
        }
        for (Feeder feeder : feeders) {
            feeder.join();
            System.out.println(feeder.getName() + " hash " + Long.toHexString(feeder.hash));
        }
        pool.shutdown();
        System.out.println("ended " + pool.awaitTermination(10, TimeUnit.SECONDS) + " threads " + threads.get());
    }
}
