import java.util.concurrent.atomic.AtomicStampedReference;

/**
 * A reference with a stamp: the value goes back and forth, the stamp mostly up (attemptStamp may set it back).
 * May vary: which thread's exchange succeeds, and which stamps it sees.
 */
public class AtomicStamped {
    private static final String EVEN = "even";
    private static final String ODD = "odd";
    private static final AtomicStampedReference<String> state = new AtomicStampedReference<>(EVEN, 0);

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
                work(1_500);
                int[] stamp = new int[1];
                String seen = state.get(stamp);
                String next = seen == EVEN ? ODD : EVEN;
                work(200);
                boolean done = switch (round % 3) {
                    case 0 -> state.compareAndSet(seen, next, stamp[0], stamp[0] + 1);
                    case 1 -> state.weakCompareAndSet(seen, next, stamp[0], stamp[0] + 1);
                    default -> state.attemptStamp(seen, stamp[0] + 1);
                };
                note(done ? stamp[0] : -1 - stamp[0]);
                note(state.getReference() == ODD ? 1 : 0);
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
        System.out.println("last " + state.getReference() + " stamp " + state.getStamp());
    }
}
