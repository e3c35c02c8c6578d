import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair ReentrantLock: threads that wait get it in the order in which they came.
 * May vary: the order in which they come.
 */
public class FairLock {
    private static final ReentrantLock lock = new ReentrantLock(true);
    /** Guarded by {@link #lock}. */
    private static final StringBuilder order = new StringBuilder();

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
            for (int round = 0; round < 100; round++) {
                work(8_000);
                lock.lock();
                try {
                    order.append(getName());
                    note(order.length());
                    work(1_000);
                } finally {
                    lock.unlock();
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
        System.out.println("order " + order.substring(100, 160));
        System.out.println("entries " + order.length());
    }
}
