import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Timed waits on a condition in four ways, with one thread that signals about as often as they time out.
 * May vary: which waits are answered and which time out.
 */
public class TimedConditions {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Condition changed = lock.newCondition();
    /** Guarded by {@link #lock}. */
    private static int version;
    private static int answered;
    private static int late;

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
                for (int round = 0; round < 40; round++) {
                    work(100);
                    if (number == 0) {
                        Thread.sleep(1);
                        lock.lock();
                        version++;
                        changed.signal();
                        lock.unlock();
                    } else {
                        lock.lock();
                        try {
                            boolean inTime = switch (round % 4) {
                                case 0 -> changed.await(1, TimeUnit.MILLISECONDS);
                                case 1 -> changed.awaitNanos(900_000) > 0;
                                case 2 -> changed.awaitUntil(new Date(System.currentTimeMillis() + 2));
                                default -> changed.await(1500, TimeUnit.MICROSECONDS);
                            };
                            answered += inTime ? 1 : 0;
                            late += inTime ? 0 : 1;
                            note(inTime ? version : -1);
                        } finally {
                            lock.unlock();
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
        System.out.println("answered " + answered + " late " + late + " all " + (answered + late));
    }
}
