import java.util.concurrent.ConcurrentHashMap;

/**
 * A small ConcurrentHashMap under merge, compute, computeIfAbsent, putIfAbsent, replace and remove.
 * May vary: the values each update finds.
 */
public class MapUpdates {
    private static final ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();

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
            for (int round = 0; round < 480; round++) {
                work(1_500);
                int key = (round * 7 + number) % 10;
                Integer result = switch (round % 8) {
                    case 0 -> map.merge(key, 1, Integer::sum);
                    case 1 -> map.compute(key, (k, value) -> value == null ? number : value * 3 + k);
                    case 2 -> map.computeIfAbsent(key, k -> k * 100 + number);
                    case 3 -> map.computeIfPresent(key, (k, value) -> value > 10_000 ? null : value + number);
                    case 4 -> map.putIfAbsent(key, round);
                    case 5 -> map.get(key);
                    case 6 -> map.remove(key);
                    default -> map.replace(key, round * 2);
                };
                note(result == null ? -1 : result);
                note(map.size());
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
