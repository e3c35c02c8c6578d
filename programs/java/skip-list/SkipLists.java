import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A ConcurrentSkipListMap and a ConcurrentSkipListSet: put, remove, first, ceiling, and walks over both.
 * May vary: what each thread finds. The levels of the skip list come from ThreadLocalRandom, but do not show.
 */
public class SkipLists {
    private static final ConcurrentSkipListMap<Integer, Integer> map = new ConcurrentSkipListMap<>();
    private static final ConcurrentSkipListSet<String> set = new ConcurrentSkipListSet<>();

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 360; round++) {
                work(1_500);
                int key = round * 7919 % 211;
                switch (round % 6) {
                    case 0, 1 -> note(map.put(key, number), -1);
                    case 2 -> note(map.remove(key + 1), -1);
                    case 3 -> {
                        Map.Entry<Integer, Integer> first = map.pollFirstEntry();
                        note(first == null ? -1 : first.getKey());
                    }
                    case 4 -> note(map.ceilingKey(key), -1);
                    default -> {
                        set.add(getName() + key);
                        note(set.first().hashCode());
                        note(set.headSet("b").size());
                    }
                }
                if (round % 30 == 0) {
                    long seen = 0;
                    for (Map.Entry<Integer, Integer> entry : map.descendingMap().entrySet()) {
                        seen = seen * 31 + entry.getKey() * 5 + entry.getValue();
                    }
                    note(seen);
                }
            }
        }

        private void note(Integer value, int ifNone) {
            note(value == null ? ifNone : value);
        }

        private void note(long value) {
            hash = hash * 31 + value;
        }

        private void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) throws Exception {
        Worker[] workers = new Worker[3];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash));
        }
    }
}
