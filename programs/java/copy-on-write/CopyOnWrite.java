import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;

/**
 * A CopyOnWriteArrayList and a CopyOnWriteArraySet: iterations see the list as it was when they began.
 * May vary: what that is.
 */
public class CopyOnWrite {
    private static final CopyOnWriteArrayList<Integer> list = new CopyOnWriteArrayList<>();
    private static final CopyOnWriteArraySet<Integer> set = new CopyOnWriteArraySet<>();

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
                switch (round % 5) {
                    case 0 -> list.add(item);
                    case 1 -> note(list.addIfAbsent(round) ? 1 : 0);
                    case 2 -> note(set.add(round / 3) ? 1 : 0);
                    case 3 -> {
                        if (list.size() > 40) {
                            list.removeIf(each -> each % 3 == number);
                        }
                    }
                    default -> {
                        long seen = 0;
                        for (int each : list) {
                            seen = seen * 31 + each;
                        }
                        note(seen);
                    }
                }
                note(set.size() * 1000 + list.size());
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
