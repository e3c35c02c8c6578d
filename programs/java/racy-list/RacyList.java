import java.util.ArrayList;

/**
 * An ArrayList that three threads add to, read and remove from without a lock.
 * May vary: what is lost, what is there twice, and which exceptions come of it.
 */
public class RacyList {
    private static final ArrayList<Integer> list = new ArrayList<>();

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;
        private int failures;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 300; round++) {
                work(500);
                try {
                    list.add(number * 1000 + round);
                    note(list.size());
                    if (round % 3 == 0) {
                        Integer last = list.remove(list.size() - 1);
                        note(last == null ? -1 : last);
                    }
                    if (round % 40 == 0) {
                        for (Integer item : list) {
                            note(item == null ? -2 : item);
                        }
                    }
                } catch (RuntimeException e) {
                    note(e.getClass().getName().hashCode());
                    failures++;
                }
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
        int failures = 0;
        for (Worker worker : workers) {
            failures += worker.failures;
        }
        System.out.println("size " + list.size() + " failures " + failures);
    }
}
