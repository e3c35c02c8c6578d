/**
 * Plain counters, incremented by three threads without any order: updates are lost.
 * May vary: which, and the values each thread sees. Static, field of an object, long and byte.
 */
public class RacyCounter {
    static final class Box {
        private int count;
        private byte small;
    }

    private static long total;
    private static final Box box = new Box();

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
                work(300);
                for (int i = 0; i < 20; i++) {
                    total++;
                    box.count += 2;
                    box.small++;
                }
                note(total);
                note(box.count);
                note(box.small);
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
        System.out.println("total " + total + " count " + box.count + " small " + box.small);
        System.out.println("none gained " + (total <= 18_000 && box.count <= 36_000));
    }
}
