import java.util.concurrent.locks.StampedLock;

/**
 * A StampedLock: optimistic reads of two volatile halves, read locks if they fail, conversion of a read lock to a write lock.
 * May vary: which versions are seen, which optimistic reads and conversions succeed.
 */
public class StampedLocks {
    private static final StampedLock lock = new StampedLock();
    private static volatile int left;
    private static volatile int right;

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
                work(3_000);
                switch ((round + number) % 4) {
                    case 0 -> write();
                    case 1 -> convert();
                    default -> read();
                }
            }
        }

        private void write() {
            long stamp = lock.writeLock();
            left++;
            work(200);
            right++;
            lock.unlockWrite(stamp);
        }

        private void convert() {
            long stamp = lock.readLock();
            note(left);
            long write = lock.tryConvertToWriteLock(stamp);
            note(write == 0 ? 0 : 1);
            if (write != 0) {
                left++;
                right++;
                stamp = write;
            }
            lock.unlock(stamp);
        }

        private void read() {
            long stamp = lock.tryOptimisticRead();
            int one = left;
            int other = right;
            if (stamp != 0 && lock.validate(stamp)) {
                note(one == other ? one : -1);
                return;
            }
            stamp = lock.readLock();
            note(left == right ? -10 - left : -1);
            note(lock.getReadLockCount());
            lock.unlockRead(stamp);
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
        System.out.println("halves agree " + (left == right) + " locked " + lock.isWriteLocked());
    }
}
