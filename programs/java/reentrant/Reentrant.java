/**
 * Threads enter one monitor again and again, by blocks, synchronized methods and recursion, and wait at depth: a wait gives back all
 * levels and takes them again.
 * May vary: the order of the turns and how deep the monitor was when a thread waited.
 */
public class Reentrant {
    private static final int TURNS = 40;
    private final StringBuilder log = new StringBuilder();
    private int turn;
    private int present = 3;

    synchronized void descend(int depth, char who) throws InterruptedException {
        if (depth > 0) {
            if (depth % 2 == 0) {
                descend(depth - 1, who);
            } else {
                synchronized (this) {
                    descend(depth - 1, who);
                }
            }
            return;
        }
        log.append(who);
        turn++;
        notifyAll();
        if (turn % 4 == 1 && present > 1) {
            int before = turn;
            while (turn == before && present > 1) {
                wait();
            }
            log.append(Character.toUpperCase(who));
        }
    }

    synchronized void leave() {
        present--;
        notifyAll();
    }

    static final class Diver extends Thread {
        private final Reentrant pool;
        private final char who;
        private int heldAfter;
        private int noise;

        Diver(Reentrant pool, char who) {
            super("diver-" + who);
            this.pool = pool;
            this.who = who;
            noise = who;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < TURNS; i++) {
                    work(8000);
                    pool.descend(i % 7, who);
                    heldAfter += Thread.holdsLock(pool) ? 1 : 0;
                }
                pool.leave();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
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
        Reentrant pool = new Reentrant();
        Diver[] divers = {new Diver(pool, 'a'), new Diver(pool, 'b'), new Diver(pool, 'c')};
        for (Diver diver : divers) {
            diver.start();
        }
        int held = 0;
        for (Diver diver : divers) {
            diver.join();
            held += diver.heldAfter;
        }
        System.out.println("turns " + pool.turn + " still held " + held);
        System.out.println("order " + pool.log.substring(40, 100) + " hash " + Integer.toHexString(pool.log.toString().hashCode()));
    }
}
