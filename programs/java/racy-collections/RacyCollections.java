import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Collections of several kinds that three threads use without a lock.
 * May vary: what each finds, and which exceptions come of it.
 */
public class RacyCollections {
    private static final ArrayDeque<Integer> deque = new ArrayDeque<>();
    private static final LinkedList<Integer> list = new LinkedList<>();
    private static final PriorityQueue<Integer> queue = new PriorityQueue<>();
    private static final TreeMap<Integer, Integer> tree = new TreeMap<>();
    private static final LinkedHashMap<Integer, Integer> linked = new LinkedHashMap<>();
    private static final BitSet bits = new BitSet();

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
                try {
                    use(round);
                } catch (RuntimeException e) {
                    note(e.getClass().getName().hashCode());
                }
            }
        }

        private void use(int round) {
            int value = round * 3 + number;
            switch (round % 6) {
                case 0 -> {
                    deque.addLast(value);
                    note(number(deque.pollFirst()));
                }
                case 1 -> {
                    list.addFirst(value);
                    note(list.size() > 5 ? number(list.pollLast()) : list.size());
                }
                case 2 -> {
                    queue.add(value % 50);
                    note(queue.size() > 5 ? number(queue.poll()) : queue.size());
                }
                case 3 -> {
                    bits.flip(value % 200);
                    note(bits.cardinality());
                }
                case 4 -> {
                    linked.put(value % 20, value);
                    note(number(linked.remove((value + 7) % 20)) + linked.size());
                }
                default -> {
                    // Two writers may make a circle of it, in which a search never ends: one writes, the others look.
                    if (number == 0) {
                        tree.put(value % 40, value);
                    } else {
                        note(tree.size());
                    }
                }
            }
        }

        private static int number(Integer found) {
            return found == null ? -1 : found;
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
        System.out.println("sizes " + deque.size() + " " + list.size() + " " + queue.size() + " " + bits.cardinality());
    }
}
