import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Virtual threads hand numbers through a small blocking queue to others, and those to main.
 * May vary: who takes what, and the order in which it arrives.
 */
public class VirtualQueues {
    private static final int PAIRS = 20;
    private static final int ITEMS = 30;

    public static void main(String[] args) throws InterruptedException {
        ArrayBlockingQueue<Integer> middle = new ArrayBlockingQueue<>(4);
        LinkedBlockingQueue<String> arrived = new LinkedBlockingQueue<>();
        for (int i = 0; i < PAIRS; i++) {
            int number = i;
            Thread.startVirtualThread(() -> {
                try {
                    for (int item = 0; item < ITEMS; item++) {
                        middle.put(number * 100 + item);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            Thread.startVirtualThread(() -> {
                try {
                    for (int item = 0; item < ITEMS; item++) {
                        arrived.put(number + ":" + middle.take());
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        int hash = 17;
        for (int i = 0; i < PAIRS * ITEMS; i++) {
            hash = hash * 31 + arrived.take().hashCode();
        }
        System.out.println("left " + middle.size() + " " + arrived.size());
        System.out.println("hash " + Integer.toHexString(hash));
    }
}
