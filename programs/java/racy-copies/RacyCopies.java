import java.util.Arrays;

/**
 * Threads copy, clone and fill common arrays and objects without a lock, some of them in vain, and look at identity hashes of arrays.
 * May vary: what each copy holds, and who was the first to use an array.
 */
public class RacyCopies {
    static final class Box implements Cloneable {
        private int left, right;

        @Override
        public Box clone() {
            try {
                return (Box) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** May not be copied. */
    static class Single {
        private int value;

        Object copy() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    private static int[] numbers = new int[40];
    private static final Object[] texts = new String[8];
    private static final Box box = new Box();
    private static final Single single = new Single();

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
                work(500);
                System.arraycopy(numbers, round % 20, numbers, number * 3, 15);
                numbers[round % 40] = round * 3 + number;
                int[] copy = numbers.clone();
                note(copy[(round + 7) % 40] + Arrays.stream(copy, 0, 4).sum());
                int[] longer = Arrays.copyOf(numbers, 40);
                longer[number] = round;
                if (round % 9 == 0) {
                    numbers = longer;
                }
                note(Arrays.hashCode(Arrays.copyOfRange(numbers, 3, 20)));
                boxes(round);
                stores(round);
                if (round % 50 == 0) {
                    note(System.identityHashCode(numbers));
                    note(System.identityHashCode(copy));
                }
            }
        }

        private void boxes(int round) {
            box.left = round;
            Box copy = box.clone();
            copy.right += number;
            note(copy.left * 31 + copy.right);
            box.right = copy.left + 1;
            try {
                single.value++;
                note(single.copy().hashCode());
            } catch (CloneNotSupportedException e) {
                note(single.value);
            }
        }

        private void stores(int round) {
            try {
                texts[round % 8] = round % 7 == 0 ? Integer.valueOf(round) : getName() + round;
            } catch (ArrayStoreException e) {
                note(e.getMessage().hashCode());
            }
            try {
                System.arraycopy(new Object[] {"x" + number, round}, 0, texts, 3, 2);
            } catch (ArrayStoreException e) {
                note(texts[3] == null ? -1 : texts[3].hashCode());
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
        System.out.println("numbers " + Arrays.hashCode(numbers) + " box " + box.left + " " + box.right);
    }
}
