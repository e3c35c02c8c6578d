import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/** A sum that is divided among the workers of a pool. */
public class ForkJoinSum {
    static final class Part extends RecursiveTask<Integer> {
        private final int[] numbers;
        private final int from;
        private final int to;
        private int steps;

        Part(int[] numbers, int from, int to) {
            this.numbers = numbers;
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            steps = 1;
            if (to - from < 8) {
                int sum = 0;
                for (int i = from; i < to; i++) sum += numbers[i]++;
                return sum;
            }
            Part left = new Part(numbers, from, (from + to) / 2), right = new Part(numbers, (from + to) / 2, to);
            left.fork();
            int sum = right.compute() + left.join();
            steps += left.steps + right.steps;
            return sum;
        }
    }

    public static void main(String[] args) throws Exception {
        int[] numbers = new int[64];
        for (int i = 0; i < numbers.length; i++) numbers[i] = i;
        ForkJoinPool pool = new ForkJoinPool(2);
        Part whole = new Part(numbers, 0, numbers.length);
        System.out.println(pool.invoke(whole) + " " + whole.steps + " " + numbers[0]);
        pool.shutdown();
    }
}
