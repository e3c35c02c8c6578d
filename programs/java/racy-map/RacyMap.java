import java.util.HashMap;

/**
 * A HashMap that grows under three threads without a lock, keys and values of all kinds lost on the way.
 * May vary: what each finds, what is lost, and which exceptions come of it.
 */
public class RacyMap {
    private static final HashMap<Integer, Integer> map = new HashMap<>(2);

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;
        private int failures;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 300; round++) {
                work(500);
                try {
                    int key = round * 7 + number;
                    Integer old = map.put(key, round);
                    note(old == null ? -1 : old);
                    Integer other = map.get(key - 1);
                    note(other == null ? -2 : other);
                    if (round % 50 == 0) {
                        long seen = 0;
                        for (Integer value : map.values()) {
                            seen = seen * 31 + value;
                        }
                        note(seen);
                    }
                    note(map.size());
                } catch (RuntimeException e) {
                    note(e.getClass().getName().hashCode());
                    failures++;
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
        int failures = 0;
        for (Worker worker : workers) {
            failures += worker.failures;
        }
        System.out.println("size " + map.size() + " failures " + failures);
    }
}
