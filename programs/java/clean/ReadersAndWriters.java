import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A HashMap under a read-write lock. */
public class ReadersAndWriters {
    private static final Map<Integer, Integer> map = new HashMap<>();
    private static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    static void work(int from) {
        int found = 0;
        for (int i = 0; i < 40; i++) {
            lock.writeLock().lock();
            try {
                map.put(from + i, i);
            } finally {
                lock.writeLock().unlock();
            }
            lock.readLock().lock();
            try {
                if (map.containsKey(i)) found++;
            } finally {
                lock.readLock().unlock();
            }
        }
        System.out.println(found > 0);
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> work(0), "a");
        Thread b = new Thread(() -> work(20), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(map.size());
    }
}
