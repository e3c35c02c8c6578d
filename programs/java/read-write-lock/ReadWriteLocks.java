import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A ReentrantReadWriteLock: readers together, writers alone, one writer steps down to a reader without letting anyone in between.
 * May vary: which version each reads, and how many readers are inside together.
 */
public class ReadWriteLocks {
    private static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    /** Guarded by {@link #lock}. */
    private static int version;
    private static int torn;
    private static int copy;

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
            for (int round = 0; round < 200; round++) {
                work(3_000);
                if (number < 2) {
                    lock.writeLock().lock();
                    try {
                        version++;
                        work(200);
                        copy = version;
                        if (number == 1) {
                            lock.readLock().lock();
                        }
                    } finally {
                        lock.writeLock().unlock();
                    }
                    if (number == 1) {
                        note(version);
                        lock.readLock().unlock();
                    }
                } else if (round % 3 == 0 && !lock.readLock().tryLock()) {
                    note(-1);
                } else {
                    if (round % 3 != 0) {
                        lock.readLock().lock();
                    }
                    note(version == copy ? version : -2);
                    work(300);
                    note(lock.getReadLockCount() + (lock.isWriteLocked() ? 100 : 0));
                    lock.readLock().unlock();
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
        System.out.println("version " + version + " copy " + copy + " readers " + lock.getReadLockCount());
    }
}
