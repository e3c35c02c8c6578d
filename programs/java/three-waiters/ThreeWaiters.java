/**
 * Three threads wait on one monitor; one notify wakes one of them, then a notifyAll the other two, round after round.
 * May vary: who is woken first in each round, and in which order the other two follow.
 */
public class ThreeWaiters {
    private static final int ROUNDS = 20;
    private static final Object bell = new Object();
    private static final StringBuilder woken = new StringBuilder();

    /** Counts who is waiting at the bell; everyone else meets here. */
    static final class Desk {
        private int round;
        private int waiting;

        synchronized void open(int number) {
            round = number;
            notifyAll();
        }

        synchronized void awaitRound(int number) throws InterruptedException {
            while (round < number) {
                wait();
            }
        }

        synchronized void change(int by) {
            waiting += by;
            notifyAll();
        }

        synchronized void awaitWaiting(int number) throws InterruptedException {
            while (waiting != number) {
                wait();
            }
        }
    }

    private static final Desk desk = new Desk();

    static final class Waiter extends Thread {
        private int noise = 1;

        Waiter(String name) {
            super(name);
        }

        @Override
        public void run() {
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    desk.awaitRound(round);
                    work(4000);
                    synchronized (bell) {
                        // Told while the bell is held: whoever learns of it and then takes the bell finds this thread waiting.
                        desk.change(+1);
                        bell.wait();
                        woken.append(getName());
                        desk.change(-1);
                    }
                }
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
        Thread[] waiters = {new Waiter("a"), new Waiter("b"), new Waiter("c")};
        for (Thread waiter : waiters) {
            waiter.start();
        }
        StringBuilder first = new StringBuilder();
        for (int round = 1; round <= ROUNDS; round++) {
            desk.open(round);
            desk.awaitWaiting(3);
            synchronized (bell) {
                bell.notify();
            }
            desk.awaitWaiting(2);
            synchronized (bell) {
                first.append(woken.charAt(woken.length() - 1));
                bell.notifyAll();
            }
            desk.awaitWaiting(0);
        }
        for (Thread waiter : waiters) {
            waiter.join();
        }
        System.out.println("first woken " + first);
        System.out.println("all woken " + woken);
        System.out.println("wakes " + woken.length());
    }
}
