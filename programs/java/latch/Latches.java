import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A row of latches: each round, everyone counts one down and waits for it, or asks again and again whether it is open.
 * May vary: the count each finds before its own, and how often the asking thread asks.
 */
public class Latches {
    private static final CountDownLatch[] latches = new CountDownLatch[80];

    static {
        for (int i = 0; i < latches.length; i++) {
            latches[i] = new CountDownLatch(3);
        }
    }

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
                for (int round = 0; round < 80; round++) {
                    work(3_000);
                    CountDownLatch latch = latches[round];
                    note(latch.getCount());
                    latch.countDown();
                    switch ((round + number) % 3) {
                        case 0 -> latch.await();
                        case 1 -> {
                            int late = 0;
                            while (!latch.await(50, TimeUnit.MICROSECONDS)) {
                                late++;
                            }
                            note(late);
                        }
                        default -> {
                            int asked = 0;
                            while (latch.getCount() > 0) {
                                asked++;
                                Thread.yield();
                            }
                            note(asked);
                        }
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
        Worker[] workers = new Worker[3];
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
        System.out.println("last " + latches[79].getCount());
    }
}
