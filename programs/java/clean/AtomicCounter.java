import java.util.concurrent.atomic.AtomicInteger;

/** Each thread takes the next free place, and alone writes there; the last one reads all. */
public class AtomicCounter {
    private static final AtomicInteger next = new AtomicInteger();
    private static final AtomicInteger done = new AtomicInteger();
    private static final int[] places = new int[100];

    static void work() {
        for (int at; (at = next.getAndIncrement()) < places.length; ) places[at] = at;
        if (done.incrementAndGet() == 2) {
            int sum = 0;
            for (int place : places) sum += place;
            System.out.println(sum);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(AtomicCounter::work, "a");
        Thread b = new Thread(AtomicCounter::work, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
