import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads wait interruptibly for a lock that main holds for a while, and main interrupts some of them.
 * May vary: which attempts end with the lock, which by an interrupt, and which by a timeout.
 */
public class InterruptibleLock {
    private static final ReentrantLock lock = new ReentrantLock();
    private static volatile boolean over;

    static final class Waiter extends Thread {
        private final StringBuilder outcome = new StringBuilder();

        Waiter(String name) {
            super(name);
        }

        @Override
        public void run() {
            for (int i = 0; !over && i < 2_000; i++) {
                try {
                    if (i % 2 == 0) {
                        lock.lockInterruptibly();
                    } else if (!lock.tryLock(300, TimeUnit.MICROSECONDS)) {
                        outcome.append('t');
                        continue;
                    }
                    outcome.append('l');
                    lock.unlock();
                } catch (InterruptedException e) {
                    outcome.append('i');
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Waiter[] waiters = {new Waiter("a"), new Waiter("b"), new Waiter("c")};
        for (Waiter waiter : waiters) {
            waiter.start();
        }
        for (int i = 0; i < 20; i++) {
            lock.lock();
            try {
                Thread.sleep(0, 300_000);
                waiters[i % 3].interrupt();
                Thread.sleep(0, 200_000);
            } finally {
                lock.unlock();
            }
            Thread.yield();
        }
        over = true;
        for (Waiter waiter : waiters) {
            waiter.join();
            String outcome = waiter.outcome.append("over").toString();
            System.out.println(waiter.getName() + " " + outcome.length() + " " + Integer.toHexString(outcome.hashCode()));
        }
        System.out.println("held " + lock.isLocked() + " waiting " + lock.hasQueuedThreads());
    }
}
