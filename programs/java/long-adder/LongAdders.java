import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Adders and accumulators, which spread over cells once threads meet; everyone looks at the sums while others still add.
 * May vary: the sums seen on the way. The last ones are right.
 */
public class LongAdders {
    private static final LongAdder adder = new LongAdder();
    private static final DoubleAdder halves = new DoubleAdder();
    private static final LongAccumulator highest = new LongAccumulator(Math::max, 0);
    private static final LongAdder reset = new LongAdder();
    private static final long[] taken = new long[4];

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
            for (int round = 0; round < 300; round++) {
                work(1_500);
                for (int i = 0; i < 10; i++) {
                    adder.add(number + 1);
                    reset.increment();
                }
                halves.add(0.5);
                highest.accumulate(round * 4 + number);
                note(adder.sum());
                note((long) (halves.sum() * 2));
                note(highest.get());
                if (round % 20 == 0) {
                    taken[number] += reset.sumThenReset();
                    note(taken[number]);
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
        System.out.println("sum " + adder.sum() + " halves " + halves.sum() + " highest " + highest.get());
    }
}
