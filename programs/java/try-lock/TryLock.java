import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two locks taken in either order without a deadlock: by tryLock, by a timed tryLock, and interruptibly.
 * May vary: which attempts fail or time out. Transfers keep the sum.
 */
public class TryLock {
    private static final ReentrantLock left = new ReentrantLock();
    private static final ReentrantLock right = new ReentrantLock(true);
    /** Guarded by both locks. */
    private static int moved;
    private static int total = 1000;

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
                for (int round = 0; round < 120; round++) {
                    work(3_000);
                    ReentrantLock first = number % 2 == 0 ? left : right;
                    ReentrantLock second = first == left ? right : left;
                    first.lockInterruptibly();
                    try {
                        work(2_000);
                        boolean both = round % 2 == 0 ? second.tryLock() : second.tryLock(100, TimeUnit.MICROSECONDS);
                        note(both ? 1 : 0);
                        if (both) {
                            try {
                                note(++moved);
                                total += number % 2 == 0 ? 1 : -1;
                            } finally {
                                second.unlock();
                            }
                        }
                    } finally {
                        first.unlock();
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
        System.out.println("moved some " + (moved > 0) + " total near " + (Math.abs(total - 1000) <= moved));
    }
}
