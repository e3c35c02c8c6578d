/**
 * A token goes round in a plain field: each thread looks at it until it is its turn, or gives up after a while.
 * May vary: how often each looks, and how often the token is missed.
 */
public class RacySpinFlag {
    private static int turn;
    private static int message;

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
            for (int round = 0; round < 80; round++) {
                work(300);
                int looks = 0;
                while (turn % 3 != number && looks < 400) {
                    if (++looks % 16 == 0) {
                        Thread.yield();
                    }
                }
                note(looks);
                note(message);
                if (looks < 400) {
                    message = message * 31 + number;
                    turn = turn + 1;
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
        System.out.println("turn seen " + (turn > 0) + " message " + message);
    }
}
