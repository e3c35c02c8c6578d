import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * Two givers and two takers meet in an unfair SynchronousQueue; offers and polls may find nobody.
 * May vary: who takes from whom, and which offers and polls fail.
 */
public class SynchronousQueues {
    private static final SynchronousQueue<Integer> queue = new SynchronousQueue<>();

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
            try {
                for (int round = 0; round < 80; round++) {
                    work(3_000);
                    if (number < 2) {
                        int item = number * 1000 + round;
                        if (round % 3 == 0) {
                            note(queue.offer(item) ? 1 : 0);
                        } else if (round % 3 == 1) {
                            note(queue.offer(item, 300, TimeUnit.MICROSECONDS) ? 1 : 0);
                        } else {
                            note(queue.offer(item, 2, TimeUnit.MILLISECONDS) ? 1 : 0);
                        }
                    } else {
                        Integer item = round % 4 == 0 ? queue.poll() : queue.poll(500, TimeUnit.MICROSECONDS);
                        note(item == null ? -1 : item);
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
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
