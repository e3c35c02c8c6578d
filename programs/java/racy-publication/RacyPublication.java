/**
 * Objects with several plain fields, handed over through a plain static: the finder may see any part of them, or none.
 * May vary: which object each thread finds, and what is in it already.
 */
public class RacyPublication {
    static final class Message {
        private int number;
        private String text;
        private int[] data;

        Message(int number) {
            this.number = number;
            this.text = "m" + number;
            this.data = new int[] {number, -number};
        }
    }

    private static Message latest;

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
                work(1_000);
                Message found = latest;
                if (found == null) {
                    note(-1);
                } else {
                    String text = found.text;
                    int[] data = found.data;
                    note(found.number);
                    note(text == null ? -2 : text.hashCode());
                    note(data == null ? -3 : data[0] + data[1]);
                }
                latest = new Message(number * 1000 + round);
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
