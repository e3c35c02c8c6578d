/**
 * Two threads with CPU work of their own and a lock of their own: nothing orders them, so a replay should keep both cores busy.
 * The argument is the work of each thread in milliseconds (roughly: the loop is not calibrated). Nothing in the output varies.
 */
public class Parallel {
    /** About 20 microseconds on a 3 GHz core. */
    private static final int CHUNK = 10_000;

    static final class Worker extends Thread {
        private final Object lock = new Object();
        private final int chunks;
        private int noise = 1;
        private long sum;

        Worker(String name, int millis) {
            super(name);
            chunks = millis * 50;
        }

        @Override
        public void run() {
            for (int i = 0; i < chunks; i++) {
                work(CHUNK);
                synchronized (lock) {
                    sum += noise & 0xff;
                }
            }
        }

        private void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                // A xorshift: unlike a linear generator, compilers cannot fold several steps into one.
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int millis = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        Worker[] workers = {new Worker("left", millis), new Worker("right", millis)};
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " " + worker.sum);
        }
    }
}
