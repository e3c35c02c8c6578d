import java.util.concurrent.atomic.AtomicInteger;

/**
 * String concatenation, formatting and records whose call sites are linked by whichever thread comes first.
 * May vary: who that is, which must not show, and the order of the steps, which does.
 */
public class InitConcat {
    static final AtomicInteger steps = new AtomicInteger();

    record Point(int x, long y, String name) {
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
            for (int round = 0; round < 30; round++) {
                work(10_000);
                int step = steps.incrementAndGet();
                String text = switch ((round + number) % 6) {
                    case 0 -> "step " + step;
                    case 1 -> step + " by " + getName() + " in " + round;
                    case 2 -> "" + 'c' + step + 1.5 + true + null + (long) round;
                    case 3 -> String.format("%05d %s %x", step, getName(), round);
                    case 4 -> new Point(step, round, getName()).toString() + new Point(1, 2, "p").equals(new Point(1, step, "p"));
                    default -> String.join(",", getName(), "x" + step).repeat(2).toUpperCase();
                };
                note(text.hashCode());
                note(new Point(step, number, "q").hashCode());
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
        Worker[] workers = new Worker[4];
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
    }
}
