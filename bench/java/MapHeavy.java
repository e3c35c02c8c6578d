import java.util.concurrent.ConcurrentHashMap;

/** Four threads that do little but change and read one concurrent map. Argument: operations of each. Prints what the map holds at the end. */
public class MapHeavy {
    private static final int KEYS = 4096;
    private static final ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();

    private static void work(int seed, int times) {
        int random = seed;
        for (int i = 0; i < times; i++) {
            random ^= random << 13;
            random ^= random >>> 17;
            random ^= random << 5;
            Integer key = random & KEYS - 1;
            switch (random >>> 12 & 7) {
                case 0:
                    map.merge(key, 1, Integer::sum);
                    break;
                case 1:
                    map.remove(key);
                    break;
                case 2:
                    map.putIfAbsent(key, i);
                    break;
                default:
                    map.get(key);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int times = Integer.parseInt(args[0]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            int seed = i * 77 + 1;
            threads[i] = new Thread(() -> work(seed, times));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(map.size() + " " + map.hashCode());
    }
}
