/** Start and join order what parents and children do. */
public class ThreadTree {
    private static int[] results = new int[8];

    static final class Node extends Thread {
        private final int number;
        private int sum;

        Node(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            results[number] = number;
            sum = number;
            if (number < 4) {
                Node left = new Node(number * 2), right = new Node(number * 2 + 1);
                left.start();
                right.start();
                try {
                    left.join();
                    right.join();
                } catch (InterruptedException e) {
                    return;
                }
                sum += left.sum + right.sum + results[number * 2];
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Node root = new Node(1);
        root.start();
        while (root.isAlive()) Thread.sleep(1);
        System.out.println(root.sum + results[7]);
    }
}
