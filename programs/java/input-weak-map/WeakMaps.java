import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** A WeakHashMap that two threads share: its size depends on the collector. */
public class WeakMaps {
    record Key(String name) {}

    static final Map<Key, Integer> map = Collections.synchronizedMap(new WeakHashMap<>());

    public static void main(String[] arguments) throws InterruptedException {
        Key kept = new Key("kept");
        map.put(kept, 1);
        Thread a = new Thread(() -> fill("a"), "a"), b = new Thread(() -> fill("b"), "b");
        a.start();
        b.start();
        StringBuilder sizes = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            if (i % 5 == 4) System.gc();
            sizes.append(' ').append(map.size());
        }
        a.join();
        b.join();
        System.gc();
        System.out.println("main saw" + sizes + " kept " + map.get(kept));
    }

    static void fill(String who) {
        int hash = 0;
        for (int i = 0; i < 200; i++) {
            map.put(new Key(who + i), i);
            if (i % 20 == 0) hash = hash * 31 + map.size();
            if (i % 70 == 69) System.gc();
            if (map.containsKey(new Key(who + (i - 3)))) hash++;
        }
        System.out.println(who + " hash " + Integer.toHexString(hash));
    }
}
