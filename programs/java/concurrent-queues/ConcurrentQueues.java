import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A ConcurrentLinkedQueue and a ConcurrentLinkedDeque, both without locks, with iteration and removal in the middle.
 * May vary: who takes what, and what the iterations see.
 */
public class ConcurrentQueues {
    private static final ConcurrentLinkedQueue<Integer> queue = new ConcurrentLinkedQueue<>();
    private static final ConcurrentLinkedDeque<Integer> deque = new ConcurrentLinkedDeque<>();

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
                work(1_500);
                int item = number * 1000 + round;
                queue.add(item);
                if (round % 2 == 0) {
                    deque.addFirst(item);
                } else {
                    deque.addLast(item);
                }
                if (round % 3 != 0) {
                    note(queue.poll(), -1);
                    note(deque.pollLast(), -1);
                }
                if (round % 25 == 0) {
                    long seen = 0;
                    for (int each : queue) {
                        seen = seen * 31 + each;
                    }
                    note(seen);
                    note(deque.removeFirstOccurrence(item) ? 1 : 0);
                    note(queue.removeIf(each -> each % 7 == number) ? 1 : 0);
                }
            }
        }

        private void note(Integer value, int ifNone) {
            note(value == null ? ifNone : value);
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
