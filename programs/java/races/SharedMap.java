import java.util.HashMap;
import java.util.Map;

/** A HashMap that two threads fill. */
public class SharedMap {
    private static final Map<Integer, Integer> map = new HashMap<>(4096);

    private static void fill(int from) {
        for (int i = 0; i < 50; i++) {
            map.put(from + i, i); // race: java.util.HashMap.size
        }
    }

    public static void main(String[] args) throws Exception {
        map.put(-1, -1);
        Thread a = new Thread(() -> fill(0), "a");
        Thread b = new Thread(() -> fill(1000), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(map.size() <= 101);
    }
}
