import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** A final class, mocked in place, that three threads ask under a lock. */
public class Mocked {
    static final class Till {
        int price(int item) {
            return -1;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Till till = mock(Till.class);
        StringBuilder order = new StringBuilder();
        when(till.price(anyInt())).thenAnswer(call -> {
            synchronized (order) {
                order.append(Thread.currentThread().getName());
                return order.length();
            }
        });
        int[] sums = new int[3];
        Thread[] threads = new Thread[sums.length];
        for (int i = 0; i < threads.length; i++) {
            int own = i;
            threads[i] = new Thread(() -> {
                for (int item = 0; item < 30; item++) sums[own] += till.price(item);
            }, String.valueOf(i));
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println(order + " " + java.util.Arrays.toString(sums));
    }
}
