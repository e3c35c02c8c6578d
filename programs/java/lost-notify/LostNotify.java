/**
 * A classic mistake: the notify carries no state, so it is lost if the waiter is not there yet. A time limit keeps it from hanging.
 * May vary: which notifications are heard (h), lost because they came too early (L), or came after the limit (t).
 */
public class LostNotify {
    private static final int ROUNDS = 24;
    private static final Object signal = new Object();
    private static int signalled;

    static final class Round {
        private int number;

        synchronized void open(int next) {
            number = next;
            notifyAll();
        }

        synchronized void await(int wanted) throws InterruptedException {
            while (number < wanted) {
                wait();
            }
        }
    }

    private static int work(int seed, int rounds) {
        int x = seed;
        for (int i = 0; i < rounds; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    public static void main(String[] args) throws InterruptedException {
        Round opened = new Round();
        Round finished = new Round();
        int[] noise = new int[2];
        Thread signaller = new Thread(() -> {
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    opened.await(round);
                    noise[0] = work(noise[0], 4000 * (round % 5));
                    synchronized (signal) {
                        signalled = round;
                        signal.notify();
                    }
                    finished.open(round);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "signaller");
        signaller.start();
        StringBuilder outcome = new StringBuilder();
        for (int round = 1; round <= ROUNDS; round++) {
            opened.open(round);
            noise[1] = work(noise[1], 4000 * (round % 4));
            synchronized (signal) {
                boolean tooEarly = signalled == round;
                // The mistake: this should not wait when the signal has come already.
                signal.wait(2);
                outcome.append(tooEarly ? 'L' : signalled == round ? 'h' : 't');
            }
            finished.await(round);
        }
        signaller.join();
        int lost = outcome.length() - outcome.toString().replace("L", "").length();
        System.out.println("outcome " + outcome);
        System.out.println("lost " + lost + " of " + outcome.length());
    }
}
