import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * An ExecutorCompletionService gives results in the order in which tasks end.
 * May vary: that order, and how often nothing is ready.
 */
public class CompletionService {
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
        ExecutorCompletionService<Integer> service = new ExecutorCompletionService<>(pool);
        for (int i = 0; i < 80; i++) {
            int number = i;
            service.submit(() -> work(number, 2_000 + number * 7919 % 5_000) == 0 ? -1 : number);
        }
        StringBuilder order = new StringBuilder();
        int nothing = 0;
        int sum = 0;
        for (int taken = 0; taken < 80; ) {
            Future<Integer> future = taken % 2 == 0 ? service.poll() : service.take();
            if (future == null) {
                nothing++;
                Thread.yield();
                continue;
            }
            order.append(' ').append(future.get());
            sum += future.get();
            taken++;
        }
        pool.shutdown();
        System.out.println("order" + order);
        System.out.println("nothing ready " + nothing + " times");
        System.out.println("sum " + sum);
    }
}
