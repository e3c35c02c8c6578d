import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Recursive tasks in a ForkJoinPool of three workers, which steal from each other.
 * May vary: which worker computes which part, and the order in which parts are finished.
 */
public class ForkJoin {
    private static final AtomicInteger finished = new AtomicInteger();
    private static final int[] order = new int[1024];
    private static final String[] owner = new String[1024];

    static final class Sum extends RecursiveTask<Long> {
        private final int from;
        private final int to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from <= 4) {
                long sum = 0;
                for (int i = from; i < to; i++) {
                    work(i, 2_000);
                    order[i] = finished.incrementAndGet();
                    owner[i] = Thread.currentThread().getName().replaceAll(".*-", "");
                    sum += i;
                }
                return sum;
            }
            int middle = (from + to) / 2;
            Sum left = new Sum(from, middle);
            left.fork();
            return new Sum(middle, to).compute() + left.join();
        }
    }

    static final class Twice extends RecursiveAction {
        private final int depth;

        Twice(int depth) {
            this.depth = depth;
        }

        @Override
        protected void compute() {
            work(depth, 1_000);
            finished.incrementAndGet();
            if (depth > 0) {
                invokeAll(new Twice(depth - 1), new Twice(depth - 1));
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

    public static void main(String[] args) {
        ForkJoinPool pool = new ForkJoinPool(3);
        long sum = pool.invoke(new Sum(0, 1024));
        pool.invoke(new Twice(6));
        pool.shutdown();
        long hash = 17;
        for (int i = 0; i < order.length; i++) {
            hash = hash * 31 + order[i];
            hash = hash * 31 + owner[i].hashCode();
        }
        System.out.println("sum " + sum + " finished " + finished.get());
        System.out.println("hash " + Long.toHexString(hash));
    }
}
