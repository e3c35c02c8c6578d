import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A CyclicBarrier with an action, and from time to time one that a timeout breaks.
 * May vary: who comes last, how many are waiting, who breaks it.
 */
public class Barriers {
    private static final StringBuilder actions = new StringBuilder();
    private static final CyclicBarrier barrier =
        new CyclicBarrier(3, () -> actions.append(Thread.currentThread().getName()));
    private static final CyclicBarrier[] fragile = new CyclicBarrier[10];

    static {
        for (int i = 0; i < fragile.length; i++) {
            fragile[i] = new CyclicBarrier(3);
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
                for (int round = 0; round < 60; round++) {
                    work(3_000);
                    note(barrier.getNumberWaiting());
                    try {
                        note(barrier.await());
                        if (round % 6 == 5) {
                            Thread.sleep(number);
                            note(fragile[round / 6].await(1, TimeUnit.MILLISECONDS));
                        }
                    } catch (TimeoutException e) {
                        note(-1);
                    } catch (BrokenBarrierException e) {
                        note(-2);
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
        System.out.println("last to come " + actions);
    }
}
