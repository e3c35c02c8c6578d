import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A virtual thread per task, each of which starts two more and waits for them; the executor is closed as a block is left.
 * May vary: the order in which tasks begin and end.
 */
public class VirtualExecutor {
    private static final AtomicInteger clock = new AtomicInteger();
    private static final ConcurrentHashMap<Integer, Integer> visits = new ConcurrentHashMap<>();

    private static int task(int number) throws Exception {
        int begin = clock.incrementAndGet();
        visits.merge(number % 7, begin, (a, b) -> a * 31 + b);
        if (number >= 100) {
            return begin;
        }
        try (ExecutorService inner = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> left = inner.submit(() -> task(number + 100));
            Future<Integer> right = inner.submit(() -> task(number + 200));
            return left.get() * 31 + right.get();
        }
    }

    public static void main(String[] args) throws Exception {
        List<Future<Integer>> futures = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 60; i++) {
                int number = i;
                futures.add(executor.submit(() -> task(number)));
            }
        }
        long hash = 17;
        for (Future<Integer> future : futures) {
            hash = hash * 31 + future.resultNow();
        }
        System.out.println("tasks " + clock.get());
        System.out.println("hash " + Long.toHexString(hash) + " visits " + visits);
    }
}
