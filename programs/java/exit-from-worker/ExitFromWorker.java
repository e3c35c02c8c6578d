/**
 * Three workers print their share of a common count; whoever draws number 60 ends the program with System.exit(3).
 * May vary: how the lines mix, who calls exit, and what the others still print before the end.
 */
public class ExitFromWorker {
    private static int drawn;

    static synchronized int draw() {
        return ++drawn;
    }

    static final class Worker extends Thread {
        private int noise;

        Worker(String name, int seed) {
            super(name);
            noise = seed;
        }

        @Override
        public void run() {
            while (true) {
                work(10_000);
                int number = draw();
                if (number == 60) {
                    System.out.println(getName() + " ends it");
                    System.exit(3);
                }
                System.out.println(getName() + " " + number);
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

    public static void main(String[] args) {
        new Worker("a", 1).start();
        new Worker("b", 2).start();
        new Worker("c", 3).start();
    }
}
