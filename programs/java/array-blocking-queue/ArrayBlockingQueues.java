import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two producers and two consumers on an ArrayBlockingQueue with room for four.
 * May vary: who takes what, how full it is, and which offers fail. Nothing is lost.
 */
public class ArrayBlockingQueues {
    private static final ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(4);
    private static final AtomicInteger sum = new AtomicInteger();

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
                for (int round = 0; round < 200; round++) {
                    work(1_500);
                    if (number < 2) {
                        int item = number * 1000 + round;
                        int failed = 0;
                        while (!(round % 2 == 0 ? queue.offer(item) : queue.offer(item, 50, TimeUnit.MICROSECONDS))) {
                            failed++;
                            Thread.yield();
                        }
                        note(failed);
                        sum.addAndGet(item);
                    } else {
                        note(queue.remainingCapacity());
                        int item = queue.take();
                        note(item);
                        sum.addAndGet(-item);
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
        System.out.println("sum " + sum + " left " + queue.size());
    }
}
