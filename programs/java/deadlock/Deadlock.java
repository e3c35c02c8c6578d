/**
 * Two clerks take the same two drawers in opposite order and sooner or later deadlock for good.
 * May vary: how many rounds each of them did before. The end may not: both wait for ever.
 */
public class Deadlock {
    static final class Drawer {
        private int opened;
    }

    private static final Drawer left = new Drawer();
    private static final Drawer right = new Drawer();

    static final class Clerk extends Thread {
        private final Drawer first;
        private final Drawer second;
        private int noise;

        Clerk(String name, Drawer first, Drawer second) {
            super(name);
            this.first = first;
            this.second = second;
            noise = name.length();
        }

        @Override
        public void run() {
            for (int round = 1; ; round++) {
                work(20_000);
                synchronized (first) {
                    first.opened++;
                    work(1000);
                    synchronized (second) {
                        second.opened++;
                    }
                }
                if (round % 4 == 0) {
                    System.out.println(getName() + " did " + round);
                }
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
        System.out.println("begin");
        new Clerk("ann", left, right).start();
        new Clerk("bob", right, left).start();
    }
}
