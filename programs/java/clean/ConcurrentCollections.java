import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Plain objects handed over through collections made for it. */
public class ConcurrentCollections {
    static final class Item {
        int value;
    }

    private static final ConcurrentHashMap<Integer, Item> map = new ConcurrentHashMap<>();
    private static final ConcurrentLinkedQueue<Item> queue = new ConcurrentLinkedQueue<>();
    private static final CopyOnWriteArrayList<Item> list = new CopyOnWriteArrayList<>();

    static void produce() {
        for (int i = 0; i < 40; i++) {
            Item item = new Item();
            item.value = i;
            map.put(i, item);
            queue.add(item);
            if (i % 4 == 0) list.add(item);
        }
    }

    static void consume() {
        int sum = 0;
        for (int i = 0; i < 40; i++) {
            Item item = map.get(i);
            if (item != null) sum += item.value;
            item = queue.poll();
            if (item != null) sum += item.value;
            for (Item listed : list) sum += listed.value;
        }
        System.out.println(sum >= 0);
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(ConcurrentCollections::produce, "a");
        Thread b = new Thread(ConcurrentCollections::consume, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
