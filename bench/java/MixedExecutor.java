import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Four threads of a pool take tasks from one queue; each task computes for about two microseconds and counts in a shared map.
 * Argument: how many tasks.
 */
public class MixedExecutor {
    private static final ConcurrentHashMap<Integer, Integer> counts = new ConcurrentHashMap<>();

    private static int compute(int seed) {
        int x = seed | 1;
        for (int i = 0; i < 700; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    public static void main(String[] args) throws Exception {
        int tasks = Integer.parseInt(args[0]);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        for (int i = 0; i < tasks; i++) {
            int seed = i;
            pool.execute(() -> counts.merge(compute(seed) & 1023, 1, Integer::sum));
        }
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.MINUTES);
        int sum = 0;
        for (int count : counts.values()) sum += count;
        if (sum != tasks) throw new AssertionError(sum);
        System.out.println("tasks " + sum);
    }
}
