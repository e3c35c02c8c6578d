/**
 * Three threads pass a token round through one volatile field; each spins until it is its turn.
 * May vary: how often each looked before it saw the token.
 */
public class VolatileFlag {
    /** Whose turn it is, modulo the number of threads. */
    private static volatile int turn;

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
            for (int round = 0; round < 100; round++) {
                work(2_000);
                int looks = 0;
                while (turn % 3 != number) {
                    if (++looks % 50 == 0) {
                        Thread.yield();
                    }
                }
                note(looks);
                turn = turn + 1;
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
        System.out.println("turns " + turn);
    }
}
