/**
 * Peterson's algorithm: mutual exclusion of two threads with volatile fields only.
 * May vary: who enters when, and how long each waits. The plain counter inside is never wrong.
 */
public class Peterson {
    private static volatile boolean wants0;
    private static volatile boolean wants1;
    private static volatile int last;
    /** Plain: guarded by the algorithm. */
    private static int counter;

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
                work(3_000);
                int waited = number == 0 ? enter0() : enter1();
                int before = counter;
                work(100);
                counter = before + 1;
                if (number == 0) {
                    wants0 = false;
                } else {
                    wants1 = false;
                }
                note(before);
                note(waited);
            }
        }

        private int enter0() {
            wants0 = true;
            last = 0;
            int waited = 0;
            while (wants1 && last == 0) {
                if (++waited % 32 == 0) {
                    Thread.yield();
                }
            }
            return waited;
        }

        private int enter1() {
            wants1 = true;
            last = 1;
            int waited = 0;
            while (wants0 && last == 1) {
                if (++waited % 32 == 0) {
                    Thread.yield();
                }
            }
            return waited;
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
        System.out.println("counter " + counter);
    }
}
