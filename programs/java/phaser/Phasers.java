import java.util.concurrent.Phaser;

/**
 * A Phaser whose parties arrive, wait, come and go.
 * May vary: how many are registered and have arrived at each look, and who advances it.
 */
public class Phasers {
    private static final StringBuilder advances = new StringBuilder();
    private static final Phaser phaser = new Phaser(3) {
        @Override
        protected boolean onAdvance(int phase, int parties) {
            advances.append(Thread.currentThread().getName()).append(parties);
            return false;
        }
    };

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
            for (int round = 0; round < 60; round++) {
                work(3_000);
                note(phaser.getArrivedParties() * 100 + phaser.getRegisteredParties());
                switch ((round + number) % 4) {
                    case 0 -> note(phaser.arriveAndAwaitAdvance());
                    case 1 -> note(phaser.awaitAdvance(phaser.arrive()));
                    case 2 -> {
                        phaser.register();
                        phaser.arriveAndDeregister();
                        note(phaser.arriveAndAwaitAdvance());
                    }
                    default -> {
                        int phase = phaser.arrive();
                        int asked = 0;
                        while (phaser.getPhase() == phase) {
                            asked++;
                            Thread.yield();
                        }
                        note(asked);
                    }
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
        System.out.println("advances " + advances.substring(0, 60));
        System.out.println("phase " + phaser.getPhase());
    }
}
