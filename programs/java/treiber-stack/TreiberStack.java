import java.util.concurrent.atomic.AtomicReference;

/**
 * A lock-free stack: an atomic head, and volatile links in its inner class of nodes.
 * May vary: which values each thread pops, how often an attempt fails, and what is left.
 */
public class TreiberStack {
    static final class Stack {
        private final class Node {
            private final int value;
            private volatile Node next;

            private Node(int value) {
                this.value = value;
            }
        }

        private final AtomicReference<Node> head = new AtomicReference<>();

        /** How many attempts it took. */
        int push(int value) {
            Node node = new Node(value);
            int attempts = 0;
            do {
                attempts++;
                node.next = head.get();
            } while (!head.compareAndSet(node.next, node));
            return attempts;
        }

        /** Zero if it is empty. */
        int pop() {
            while (true) {
                Node top = head.get();
                if (top == null) {
                    return 0;
                }
                if (head.compareAndSet(top, top.next)) {
                    return top.value;
                }
            }
        }
    }

    private static final Stack stack = new Stack();
    private static final int[] popped = new int[3];

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
                work(4_000);
                note(stack.push(1 + number * 1000 + round));
                if (round % 4 != 0) {
                    int value = stack.pop();
                    popped[number] += value == 0 ? 0 : 1;
                    note(value);
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
        int left = 0;
        while (stack.pop() != 0) {
            left++;
        }
        System.out.println("popped and left " + (popped[0] + popped[1] + popped[2] + left));
    }
}
