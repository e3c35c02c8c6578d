import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two permits for four threads: acquire, tryAcquire, timed, several at once, drain.
 * May vary: who gets in, which attempts fail, and what is left in between. Never more than two inside.
 */
public class Semaphores {
    private static final Semaphore permits = new Semaphore(2);
    private static final AtomicInteger inside = new AtomicInteger();
    private static final AtomicInteger most = new AtomicInteger();

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
                    switch ((round + number) % 5) {
                        case 0 -> enter(permits.tryAcquire() ? 1 : 0);
                        case 1 -> enter(permits.tryAcquire(200, TimeUnit.MICROSECONDS) ? 1 : 0);
                        case 2 -> enter(permits.drainPermits());
                        case 3 -> {
                            permits.acquire(2);
                            enter(2);
                        }
                        default -> {
                            permits.acquireUninterruptibly();
                            enter(1);
                        }
                    }
                    note(permits.availablePermits());
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void enter(int count) {
            note(count);
            if (count > 0) {
                int now = inside.addAndGet(count);
                most.accumulateAndGet(now, Math::max);
                work(2_000);
                inside.addAndGet(-count);
                permits.release(count);
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
        System.out.println("most " + most + " permits " + permits.availablePermits());
    }
}
