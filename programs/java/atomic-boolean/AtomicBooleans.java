import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A try-lock made of an AtomicBoolean, and a second one that is flipped in every way it knows.
 * May vary: who gets in, and what the flips see. The plain counter inside is never wrong.
 */
public class AtomicBooleans {
    private static final AtomicBoolean held = new AtomicBoolean();
    private static final AtomicBoolean flips = new AtomicBoolean();
    /** Guarded by {@link #held}. */
    private static int inside;
    private static int entered;

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
                if (held.compareAndSet(false, true)) {
                    note(++inside);
                    entered++;
                    work(1_000);
                    inside--;
                    held.set(false);
                } else {
                    note(-1);
                }
                boolean seen = flips.get();
                switch (round % 8) {
                    case 0 -> note(flips.getAndSet(!seen) ? 1 : 0);
                    case 1 -> note(flips.compareAndExchange(seen, !seen) ? 1 : 0);
                    case 2 -> note(flips.weakCompareAndSetVolatile(seen, !seen) ? 1 : 0);
                    case 3 -> note(flips.weakCompareAndSetPlain(seen, !seen) ? 1 : 0);
                    case 4 -> flips.lazySet(number == 0);
                    case 5 -> flips.setRelease(number == 1);
                    case 6 -> flips.setOpaque(number == 2);
                    default -> note((flips.getAcquire() ? 1 : 0) + (flips.getOpaque() ? 2 : 0));
                }
                note(seen ? 1 : 0);
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
        System.out.println("inside " + inside + " entered " + (entered > 0));
    }
}
