/**
 * Main joins its workers with a time limit until they are gone, while the workers join one another in a chain.
 * May vary: how often each timed join gave up, and in which order the workers ended.
 */
public class Joins {
    private static final StringBuilder ended = new StringBuilder();

    static final class Worker extends Thread {
        private final Worker before;
        private final int rounds;
        private int noise = 1;
        private int gaveUp;

        Worker(String name, Worker before, int rounds) {
            super(name);
            this.before = before;
            this.rounds = rounds;
        }

        @Override
        public void run() {
            for (int i = 0; i < rounds; i++) {
                work(40_000);
                synchronized (ended) {
                    ended.append(getName());
                }
                Thread.yield();
            }
            if (before != null) {
                try {
                    before.join(2);
                    if (before.isAlive()) {
                        gaveUp++;
                        before.join();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            synchronized (ended) {
                ended.append(getName().toUpperCase());
            }
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

    public static void main(String[] args) throws InterruptedException {
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(String.valueOf((char) ('a' + i)), i % 2 == 0 ? null : workers[i - 1], 40);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        StringBuilder limits = new StringBuilder();
        for (Worker worker : workers) {
            int tries = 0;
            do {
                worker.join(1);
                tries++;
            } while (worker.isAlive());
            limits.append(' ').append(worker.getName()).append(tries > 9 ? "9+" : String.valueOf(tries)).append(worker.gaveUp > 0 ? "!" : "");
        }
        System.out.println("timed joins" + limits);
        System.out.println("ends " + ended.toString().replaceAll("[a-d]", ""));
        System.out.println("order " + ended.substring(50, 110) + " hash " + Integer.toHexString(ended.toString().hashCode()));
        System.out.println("steps " + ended.length());
    }
}
