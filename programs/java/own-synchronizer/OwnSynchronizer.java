import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * A mutex and a gate for a fixed number of threads, both subclasses of AbstractQueuedSynchronizer.
 * May vary: who gets in when, how many are queued. The plain counter inside is never wrong.
 */
public class OwnSynchronizer {
    static final class Mutex extends AbstractQueuedSynchronizer {
        @Override
        protected boolean tryAcquire(int ignored) {
            if (compareAndSetState(0, 1)) {
                setExclusiveOwnerThread(Thread.currentThread());
                return true;
            }
            return false;
        }

        @Override
        protected boolean tryRelease(int ignored) {
            setExclusiveOwnerThread(null);
            setState(0);
            return true;
        }

        @Override
        protected boolean isHeldExclusively() {
            return getState() == 1 && getExclusiveOwnerThread() == Thread.currentThread();
        }

        ConditionObject condition() {
            return new ConditionObject();
        }
    }

    static final class Gate extends AbstractQueuedSynchronizer {
        Gate(int places) {
            setState(places);
        }

        @Override
        protected int tryAcquireShared(int count) {
            while (true) {
                int places = getState();
                int left = places - count;
                if (left < 0 || compareAndSetState(places, left)) {
                    return left;
                }
            }
        }

        @Override
        protected boolean tryReleaseShared(int count) {
            int places;
            do {
                places = getState();
            } while (!compareAndSetState(places, places + count));
            return true;
        }

        int places() {
            return getState();
        }
    }

    private static final Mutex mutex = new Mutex();
    private static final AbstractQueuedSynchronizer.ConditionObject even = mutex.condition();
    private static final Gate gate = new Gate(2);
    /** Guarded by {@link #mutex}. */
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
            try {
                for (int round = 0; round < 80; round++) {
                    work(3_000);
                    gate.acquireShared(1);
                    note(gate.places());
                    work(500);
                    gate.releaseShared(1);
                    if (round % 4 == 0 && !mutex.tryAcquireNanos(1, 100_000)) {
                        note(-1);
                        continue;
                    }
                    if (round % 4 != 0) {
                        mutex.acquireInterruptibly(1);
                    }
                    note(counter++);
                    if (round % 8 == 1) {
                        note(even.await(200, TimeUnit.MICROSECONDS) ? 1 : 0);
                    } else {
                        even.signal();
                    }
                    note(mutex.getQueueLength() + (mutex.hasContended() ? 100 : 0));
                    mutex.release(1);
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
        System.out.println("counted " + (counter > 200) + " places " + gate.places());
    }
}
