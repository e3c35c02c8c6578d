/**
 * Store, then load what the other stores, on many pairs of volatile fields: at least one of two threads must see the other.
 * May vary: who sees whom in which pair.
 */
public class Dekker {
    static final class Pair {
        private volatile int left;
        private volatile int right;
        private int leftSaw;
        private int rightSaw;
    }

    private static final Pair[] pairs = new Pair[600];

    static {
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = new Pair();
        }
    }

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
            for (int round = 0; round < 600; round++) {
                work(3_000);
                Pair pair = pairs[round];
                if (number == 0) {
                    pair.left = round + 1;
                    pair.leftSaw = pair.right;
                    note(pair.leftSaw);
                } else {
                    pair.right = round + 1;
                    pair.rightSaw = pair.left;
                    note(pair.rightSaw);
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
        Worker[] workers = new Worker[2];
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
        int blind = 0;
        for (Pair pair : pairs) {
            blind += pair.leftSaw == 0 && pair.rightSaw == 0 ? 1 : 0;
        }
        System.out.println("pairs in which nobody saw the other: " + blind);
    }
}
