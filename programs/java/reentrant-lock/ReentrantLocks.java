import java.util.concurrent.locks.ReentrantLock;

/**
 * An unfair ReentrantLock, taken twice by the same thread, and everything it can be asked.
 * May vary: who holds it in which order, and what the questions find out. The plain counter inside is never wrong.
 */
public class ReentrantLocks {
    private static final ReentrantLock lock = new ReentrantLock();
    /** Guarded by {@link #lock}. */
    private static int counter;

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
            for (int round = 0; round < 250; round++) {
                work(3_000);
                note(lock.isLocked() ? 1 : 0);
                lock.lock();
                try {
                    note(counter++);
                    lock.lock();
                    try {
                        work(500);
                        note(lock.getHoldCount() * 10 + lock.getQueueLength());
                        note(lock.hasQueuedThreads() ? 1 : 0);
                    } finally {
                        lock.unlock();
                    }
                } finally {
                    lock.unlock();
                }
                note(lock.isHeldByCurrentThread() ? 1 : 0);
                if (lock.tryLock()) {
                    note(counter);
                    lock.unlock();
                } else {
                    note(-1);
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
        System.out.println("counter " + counter + " fair " + lock.isFair());
    }
}
