import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;

/**
 * A LinkedTransferQueue: producers put, hand over if somebody waits, or wait until somebody takes.
 * May vary: who takes what, and which handovers succeed at once.
 */
public class TransferQueues {
    private static final int ITEMS = 250;
    private static final LinkedTransferQueue<Integer> queue = new LinkedTransferQueue<>();

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
                        switch (i % 4) {
                            case 0 -> queue.put(item);
                            case 1 -> {
                                boolean at = queue.tryTransfer(item) || queue.tryTransfer(item, 50, TimeUnit.MICROSECONDS);
                                note(at ? 1 : 0);
                                if (!at) {
                                    queue.put(item);
                                }
                            }
                            case 2 -> queue.transfer(item);
                            default -> {
                                note(queue.hasWaitingConsumer() ? 1 : 0);
                                queue.add(item);
                            }
                        }
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
            Integer item = switch (i % 3) {
                case 0 -> queue.poll();
                case 1 -> queue.poll(100, TimeUnit.MICROSECONDS);
                default -> queue.take();
            };
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
        System.out.println("taken " + workers[2].taken + " " + workers[3].taken + " left " + queue.size());
    }
}
