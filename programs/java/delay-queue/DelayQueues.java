import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/**
 * Items become due after up to two milliseconds; two consumers share them.
 * May vary: who takes which, and in which order those come that are due together.
 */
public class DelayQueues {
    record Due(int number, long nanos) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(nanos, ((Due) other).nanos);
        }
    }

    private static final DelayQueue<Due> queue = new DelayQueue<>();

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
            try {
                for (int round = 0; round < 60; round++) {
                    work(3_000);
                    if (number < 2) {
                        queue.put(new Due(number * 1000 + round, System.nanoTime() + round * 7919 % 2_000 * 1_000));
                        note(queue.size());
                    } else {
                        note(queue.take().number);
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
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
        System.out.println("left " + queue.size());
    }
}
