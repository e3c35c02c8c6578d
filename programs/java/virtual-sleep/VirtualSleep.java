import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads sleep a millisecond or two, in all the ways there are, and note when they wake.
 * May vary: the order in which they wake.
 */
public class VirtualSleep {
    private static final ConcurrentLinkedQueue<Integer> wakes = new ConcurrentLinkedQueue<>();

    private static void sleeper(int number) {
        try {
            for (int i = 0; i < 4; i++) {
                switch ((number + i) % 4) {
                    case 0 -> Thread.sleep(1);
                    case 1 -> Thread.sleep(1, 500_000);
                    case 2 -> Thread.sleep(Duration.ofMillis(2));
                    default -> LockSupport.parkNanos(1_000_000);
                }
                wakes.add(number);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] sleepers = new Thread[50];
        for (int i = 0; i < sleepers.length; i++) {
            int number = i;
            sleepers[i] = Thread.ofVirtual().name("sleeper-", i).start(() -> sleeper(number));
        }
        for (Thread sleeper : sleepers) {
            sleeper.join(Duration.ofSeconds(10));
        }
        System.out.println("wakes " + wakes.size() + " of the last " + sleepers[49].getName());
        System.out.println("order " + Integer.toHexString(List.copyOf(wakes).hashCode()));
    }
}
