/**
 * One writer, two readers, no lock: an odd sequence number says that the two volatile halves do not belong together.
 * May vary: which versions the readers see, and how often they must try again.
 */
public class SeqLock {
    private static volatile int sequence;
    private static volatile long left;
    private static volatile long right;

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
            for (int round = 0; round < 400; round++) {
                work(3_000);
                if (number == 0) {
                    sequence = sequence + 1;
                    left = round;
                    work(300);
                    right = -round;
                    sequence = sequence + 1;
                } else {
                    read();
                }
            }
        }

        private void read() {
            int tries = 0;
            while (true) {
                tries++;
                int before = sequence;
                long one = left;
                long other = right;
                if ((before & 1) == 0 && before == sequence) {
                    note(one + other == 0 ? one : 1_000_000);
                    note(tries);
                    return;
                }
                if (tries % 8 == 0) {
                    Thread.yield();
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
        System.out.println("sequence " + sequence + " halves " + left + " " + right);
    }
}
