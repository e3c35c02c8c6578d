/**
 * 180,000 lock events: three threads, each 20,000 times two nested monitors and one static synchronized method, with little else.
 * The argument is `long` (threads keep the processor while they can, so the monitors seldom change hands) or `short` (they offer it after
 * every turn). Prints how often the static monitor changed hands, since that is what a replay has to enforce, and a hash of the order.
 */
public class LockEvents {
    private static final int ITERATIONS = 20_000;
    private static int order = 17;
    private static int count;
    private static int last;
    private static int handOvers;

    static synchronized void pass(int who) {
        order = order * 31 + who;
        count++;
        if (last != who) {
            handOvers++;
        }
        last = who;
    }

    static final class Cell {
        private int hash = 17;
    }

    static final class Worker extends Thread {
        private final int who;
        private final Cell outer;
        private final Cell inner;
        private final boolean shortTurns;
        private int noise;

        Worker(int who, Cell outer, Cell inner, boolean shortTurns) {
            this.who = who;
            this.outer = outer;
            this.inner = inner;
            this.shortTurns = shortTurns;
            noise = who;
        }

        @Override
        public void run() {
            for (int i = 0; i < ITERATIONS; i++) {
                int x = noise;
                for (int step = 0; step < 300; step++) {
                    x ^= x << 13;
                    x ^= x >>> 17;
                    x ^= x << 5;
                }
                noise = x;
                synchronized (outer) {
                    outer.hash = outer.hash * 31 + who;
                    synchronized (inner) {
                        inner.hash = inner.hash * 31 + outer.hash;
                    }
                }
                pass(who);
                if (shortTurns) {
                    Thread.yield();
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        boolean shortTurns = args[0].equals("short");
        Cell a = new Cell();
        Cell b = new Cell();
        Worker[] workers = {new Worker(1, a, b, shortTurns), new Worker(2, a, b, shortTurns), new Worker(3, a, b, shortTurns)};
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        System.out.println("hand_overs " + handOvers);
        System.out.println("passes " + count + " order " + Integer.toHexString(order) + " " + Integer.toHexString(b.hash));
    }
}
