import java.util.concurrent.Exchanger;
import java.util.concurrent.Semaphore;

/** A semaphore guards a field; two threads exchange buffers. */
public class SemaphoreHandover {
    private static final Semaphore permit = new Semaphore(1);
    private static final Exchanger<int[]> exchanger = new Exchanger<>();
    private static int total;

    static void work(int me) {
        int[] buffer = new int[4];
        try {
            for (int i = 0; i < 10; i++) {
                buffer[i % 4] += me + i;
                buffer = exchanger.exchange(buffer);
                permit.acquire();
                total += buffer[i % 4];
                permit.release();
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> work(1), "a");
        Thread b = new Thread(() -> work(2), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(total);
    }
}
