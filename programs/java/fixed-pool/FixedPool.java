import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A pool of three threads with a hundred tasks, some of which fail, some are cancelled.
 * May vary: which thread runs which task in which order, and which tasks are cancelled in time.
 */
public class FixedPool {
    private static final StringBuilder log = new StringBuilder();
    private static int finished;

    private static long task(int number) {
        long result = work(number, 5_000);
        if (number % 17 == 0) {
            throw new IllegalArgumentException("task " + number);
        }
        synchronized (log) {
            log.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(number).append(' ');
            finished++;
        }
        return result;
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

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<Long>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            futures.add(pool.submit(() -> task(number)));
            if (i % 5 == 4) {
                futures.get(i - 1).cancel(i % 2 == 0);
            }
        }
        pool.shutdown();
        StringBuilder cancelled = new StringBuilder();
        int failed = 0;
        for (int i = 0; i < 100; i++) {
            if (futures.get(i).isCancelled()) {
                cancelled.append(' ').append(i);
                continue;
            }
            try {
                futures.get(i).get();
            } catch (ExecutionException e) {
                failed++;
            }
        }
        System.out.println("ended " + pool.awaitTermination(10, TimeUnit.SECONDS) + " failed " + failed);
        System.out.println("cancelled" + cancelled);
        System.out.println("log " + Integer.toHexString(log.toString().hashCode()) + " finished " + (finished > 70));
    }
}
