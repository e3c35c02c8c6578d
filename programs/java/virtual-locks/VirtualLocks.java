import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two hundred virtual threads share a ReentrantLock and a Semaphore.
 * May vary: the order in which they get them.
 */
public class VirtualLocks {
    private static final ReentrantLock lock = new ReentrantLock();
    private static final Semaphore permits = new Semaphore(3);
    /** Guarded by {@link #lock}. */
    private static long hash = 17;
    private static int entries;

    private static void visitor(int number) {
        for (int i = 0; i < 5; i++) {
            permits.acquireUninterruptibly();
            long noise = work(number, 500);
            permits.release();
            lock.lock();
            try {
                entries++;
                hash = hash * 31 + number + (noise == 0 ? 1 : 0);
            } finally {
                lock.unlock();
            }
            Thread.yield();
        }
    }

    private static long work(long seed, int rounds) {
        long x = seed * 2 + 1;
        for (int i = 0; i < rounds; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] visitors = new Thread[200];
        for (int i = 0; i < visitors.length; i++) {
            int number = i;
            visitors[i] = Thread.ofVirtual().start(() -> visitor(number));
        }
        for (Thread visitor : visitors) {
            visitor.join();
        }
        System.out.println("entries " + entries + " permits " + permits.availablePermits());
        System.out.println("hash " + Long.toHexString(hash));
    }
}
