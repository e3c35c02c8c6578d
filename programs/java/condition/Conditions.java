import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded buffer with one lock and two conditions, signal and signalAll.
 * May vary: who takes which item, and how often each waits.
 */
public class Conditions {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Condition notEmpty = lock.newCondition();
    private static final Condition notFull = lock.newCondition();
    /** Guarded by {@link #lock}. */
    private static final ArrayDeque<Integer> items = new ArrayDeque<>();
    private static int taken;

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
                    work(1_000);
                    if (number < 2) {
                        put(number * 1000 + round);
                    } else {
                        note(take());
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void put(int item) throws InterruptedException {
            lock.lock();
            try {
                while (items.size() == 3) {
                    note(-1);
                    notFull.await();
                }
                items.add(item);
                notEmpty.signal();
            } finally {
                lock.unlock();
            }
        }

        private int take() throws InterruptedException {
            lock.lock();
            try {
                while (items.isEmpty()) {
                    note(-2);
                    notEmpty.awaitUninterruptibly();
                }
                note(lock.getWaitQueueLength(notFull));
                taken++;
                notFull.signalAll();
                return items.remove();
            } finally {
                lock.unlock();
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
        System.out.println("taken " + taken + " left " + items.size());
    }
}
