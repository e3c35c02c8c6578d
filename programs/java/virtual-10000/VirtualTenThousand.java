import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ten thousand virtual threads, each with a few steps on an atomic, a lock and a monitor.
 * May vary: the order of all of that.
 */
public class VirtualTenThousand {
    private static final int THREADS = 10_000;
    private static final AtomicInteger clock = new AtomicInteger();
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Object monitor = new Object();
    private static final CountDownLatch done = new CountDownLatch(THREADS);
    /** Guarded by {@link #lock}. */
    private static long locked = 17;
    /** Guarded by {@link #monitor}. */
    private static long entered = 17;

    private static void visitor(int number) {
        int first = clock.incrementAndGet();
        lock.lock();
        try {
            locked = locked * 31 + number;
        } finally {
            lock.unlock();
        }
        Thread.yield();
        synchronized (monitor) {
            entered = entered * 31 + first + number;
        }
        done.countDown();
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            Thread.startVirtualThread(() -> visitor(number));
        }
        done.await();
        System.out.println("visitors " + clock.get());
        lock.lock();
        System.out.println("locked " + Long.toHexString(locked));
        lock.unlock();
        synchronized (monitor) {
            System.out.println("entered " + Long.toHexString(entered));
        }
    }
}
