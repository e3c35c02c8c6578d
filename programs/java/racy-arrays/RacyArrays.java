import java.util.Arrays;

/**
 * Threads shift, swap and sum up the elements of common arrays of several types without a lock.
 * May vary: the values each sees, and what is left at the end.
 */
public class RacyArrays {
    private static final int[] numbers = new int[16];
    private static final long[] wide = new long[200];
    private static final byte[] bytes = new byte[16];
    private static final String[] texts = new String[8];
    private static final double[][] grid = new double[4][4];

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
                work(500);
                int i = (round + number * 5) % 16;
                int carried = numbers[i];
                numbers[i] = numbers[(i + 1) % 16] + 1;
                numbers[(i + 1) % 16] = carried;
                wide[(round * 13) % 200] += number + 1;
                note(wide[(round * 13 + 13) % 200]);
                bytes[i]++;
                note(bytes[(i + 1) % 16]);
                String text = texts[round % 8];
                texts[round % 8] = text == null || text.length() > 20 ? getName() : text + getName();
                note(text == null ? 0 : text.hashCode());
                grid[round % 4][number] = grid[round % 4][(number + 1) % 3] + 1;
                note((long) grid[round % 4][number]);
                note(carried);
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
        System.out.println("numbers " + Arrays.hashCode(numbers) + " texts " + Arrays.hashCode(texts));
    }
}
