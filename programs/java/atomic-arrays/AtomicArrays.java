import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Three threads on the elements of an AtomicIntegerArray, an AtomicLongArray and an AtomicReferenceArray.
 * May vary: the values each sees.
 */
public class AtomicArrays {
    private static final AtomicIntegerArray numbers = new AtomicIntegerArray(6);
    private static final AtomicLongArray wide = new AtomicLongArray(6);
    private static final AtomicReferenceArray<String> names = new AtomicReferenceArray<>(6);

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
            for (int round = 0; round < 480; round++) {
                work(1_500);
                int i = (round * 5 + number) % 6;
                switch (round % 12) {
                    case 0 -> note(numbers.incrementAndGet(i));
                    case 1 -> note(numbers.getAndAdd(i, number + 1));
                    case 2 -> note(numbers.compareAndSet(i, numbers.get(i), round) ? 1 : 0);
                    case 3 -> note(numbers.accumulateAndGet(i, round, Math::max));
                    case 4 -> note(wide.addAndGet(i, 3));
                    case 5 -> note(wide.getAndSet(i, round));
                    case 6 -> note(wide.updateAndGet(i, value -> value * 3 + number));
                    case 7 -> note(wide.compareAndExchange(i, wide.getAcquire(i), number));
                    case 8 -> wide.setRelease(i, round);
                    case 9 -> names.set(i, getName() + round);
                    case 10 -> note(String.valueOf(names.getAndSet(i, getName())).hashCode());
                    default -> note(names.compareAndSet(i, names.get(i), getName() + number) ? 1 : 0);
                }
                note(numbers.get((i + 1) % 6) + wide.get((i + 1) % 6));
                note(String.valueOf(names.get((i + 1) % 6)).hashCode());
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
    }
}
