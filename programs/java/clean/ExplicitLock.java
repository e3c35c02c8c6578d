import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A buffer of one, under a ReentrantLock with a condition. */
public class ExplicitLock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean full;
    private int value;

    private void put(int next) throws InterruptedException {
        lock.lock();
        try {
            while (full) changed.await();
            value = next;
            full = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private int take() throws InterruptedException {
        lock.lock();
        try {
            while (!full) changed.await();
            full = false;
            changed.signalAll();
            return value;
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] args) throws Exception {
        ExplicitLock buffer = new ExplicitLock();
        Thread producer = new Thread(() -> {
            try {
                for (int i = 0; i < 30; i++) buffer.put(i);
            } catch (InterruptedException e) {
                return;
            }
        }, "producer");
        producer.start();
        int sum = 0;
        for (int i = 0; i < 30; i++) sum += buffer.take();
        producer.join();
        System.out.println(sum);
    }
}
