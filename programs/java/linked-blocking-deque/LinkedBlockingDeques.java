import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;

/**
 * Two producers put at both ends of a LinkedBlockingDeque, two consumers take from both.
 * May vary: who takes what.
 */
public class LinkedBlockingDeques {
    private static final int ITEMS = 250;
    private static final LinkedBlockingDeque<Integer> deque = new LinkedBlockingDeque<>(10);

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;
        private int taken;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            try {
                if (number < 2) {
                    for (int i = 0; i < ITEMS; i++) {
                        work(1_500);
                        int item = number * 1000 + i;
                        if (i % 2 == 0) {
                            deque.putFirst(item);
                        } else {
                            deque.putLast(item);
                        }
                        note(deque.remainingCapacity());
                    }
                } else {
                    for (int i = 0; taken < ITEMS; i++) {
                        work(1_000);
                        take(i);
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void take(int i) throws InterruptedException {
            switch (i % 4) {
                case 0 -> got(deque.pollFirst());
                case 1 -> got(deque.pollLast(100, TimeUnit.MICROSECONDS));
                case 2 -> got(deque.takeFirst());
                default -> got(deque.takeLast());
            }
        }

        private void got(Integer item) {
            note(item == null ? -1 : item);
            taken += item == null ? 0 : 1;
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
        System.out.println("taken " + workers[2].taken + " " + workers[3].taken + " left " + deque.size());
    }
}
