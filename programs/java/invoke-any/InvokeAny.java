import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * invokeAny and invokeAll: the first result wins, the others are interrupted in their sleep, or while they compute.
 * May vary: who wins, and how far the others came.
 */
public class InvokeAny {
    private static final AtomicInteger steps = new AtomicInteger();
    private static final AtomicInteger interrupted = new AtomicInteger();

    private static int racer(int number, int round) throws InterruptedException {
        if ((number + round) % 4 == 0) {
            throw new InterruptedException("gives up");
        }
        for (int i = 0; i < 5; i++) {
            steps.incrementAndGet();
            try {
                if (work(number, 3_000) != 0 && i == 3) {
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
            if (Thread.currentThread().isInterrupted()) {
                break;
            }
        }
        return number;
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
        ExecutorService pool = Executors.newFixedThreadPool(4);
        StringBuilder winners = new StringBuilder();
        StringBuilder done = new StringBuilder();
        for (int round = 0; round < 12; round++) {
            List<Callable<Integer>> racers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int number = i;
                int now = round;
                racers.add(() -> racer(number, now));
            }
            winners.append(pool.invokeAny(racers));
            if (round % 4 == 0) {
                for (Future<Integer> future : pool.invokeAll(racers, 1, TimeUnit.MILLISECONDS)) {
                    done.append(future.isCancelled() ? 'c' : 'd');
                }
            }
        }
        pool.shutdown();
        System.out.println("ended " + pool.awaitTermination(10, TimeUnit.SECONDS));
        System.out.println("winners " + winners + " done " + done);
        System.out.println("steps " + steps.get() + " interrupted " + interrupted.get());
    }
}
