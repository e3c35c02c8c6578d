import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two threads take from two queues while two others remove what a predicate chooses, and add up what is left. These queues ask the predicate without holding their locks: whether an item that
 * is about to be taken is still asked about is a race inside the JDK.
 * May vary: who takes what, and which items the predicate sees.
 */
public class QueueRemovals {
    private static final int ROUNDS = 60, ITEMS = 48;
    private static final Queue<Integer> queue = new LinkedBlockingQueue<>();
    private static final Queue<Integer> deque = new LinkedBlockingDeque<>();
    private static final AtomicInteger taking = new AtomicInteger(2);

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;
        private int asked;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            if (number < 2) {
                for (int round = 0; round < ROUNDS; round++) {
                    takeFrom(number == 0 ? queue : deque, round);
                    takeFrom(number == 0 ? deque : queue, round);
                }
                taking.decrementAndGet();
            } else {
                while (taking.get() > 0) {
                    removeFrom(queue);
                    removeFrom(deque);
                    if (number == 3) note(queue.parallelStream().mapToInt(Integer::intValue).sum());
                }
            }
        }

        private void takeFrom(Queue<Integer> from, int round) {
            for (int i = 0; i < ITEMS; i++) {
                from.add(round * 1000 + i * 2 + number);
            }
            for (int i = 0; i < ITEMS; i++) {
                work(60);
                Integer item = from.poll();
                note(item == null ? -1 : item);
            }
        }

        private void removeFrom(Collection<Integer> from) {
            boolean any = from.removeIf(item -> {
                asked++;
                work(60);
                note(item);
                return item % 5 == number;
            });
            note(any ? 1 : 0);
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
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash) + " asked " + worker.asked);
        }
        System.out.println("left " + queue.size() + " " + deque.size());
    }
}
