import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A ConcurrentHashMap grows from nothing while others iterate over it, count and search it.
 * May vary: what the iterations see, and who helps to move the table.
 */
public class MapIteration {
    private static final ConcurrentHashMap<String, Integer> map = new ConcurrentHashMap<>(1);

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
            for (int round = 0; round < 300; round++) {
                work(500);
                map.put(getName() + round, round);
                note(map.mappingCount());
                if (round % 10 == 0) {
                    long seen = 0;
                    for (Map.Entry<String, Integer> entry : map.entrySet()) {
                        seen = seen * 31 + entry.getKey().hashCode() + entry.getValue();
                    }
                    note(seen);
                    note(map.reduceValuesToLong(Long.MAX_VALUE, Integer::longValue, 0, Long::sum));
                } else if (round % 10 == 5) {
                    note(map.containsKey((char) ('a' + (number + 1) % 3) + String.valueOf(round)) ? 1 : 0);
                    note(map.keySet().removeIf(key -> key.hashCode() % 17 == 0) ? 1 : 0);
                }
            }
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
