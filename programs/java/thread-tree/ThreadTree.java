/**
 * Every thread starts two more, five levels deep, works, and joins its children.
 * May vary: the order in which the threads begin and end. The tree may not.
 */
public class ThreadTree {
    private static final StringBuilder order = new StringBuilder();
    private static int begun;

    static final class Node extends Thread {
        private final int depth;
        private int size = 1;
        private int place;
        private int noise = 1;

        Node(String path) {
            super(path);
            depth = path.length();
        }

        @Override
        public void run() {
            synchronized (order) {
                place = begun++;
                order.append('+').append(getName());
            }
            Node[] children = new Node[depth < 5 ? 2 : 0];
            for (int i = 0; i < children.length; i++) {
                children[i] = new Node(getName() + i);
                children[i].start();
            }
            work(20_000);
            for (Node child : children) {
                try {
                    child.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                size += child.size;
            }
            synchronized (order) {
                order.append('-').append(getName());
            }
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

    public static void main(String[] args) throws InterruptedException {
        Node root = new Node("r");
        root.start();
        root.join();
        System.out.println("threads " + root.size + " root was " + root.place);
        System.out.println("order " + order.substring(30, 110));
        System.out.println("hash " + Integer.toHexString(order.toString().hashCode()));
    }
}
