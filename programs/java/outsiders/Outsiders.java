/**
 * A host and a guest count under the same lock. What the host does and prints at its end does not depend on the guest, so either can be
 * left out of a recording.
 */
public class Outsiders {
    private static final int ROUNDS = 100;
    private static final Object lock = new Object();
    private static int hosts;
    private static int guests;

    /** Whoever leaves this class or its thread out of a recording leaves out these uses of the lock. */
    static final class Guest extends Thread {
        Guest() {
            super("guest");
        }

        @Override
        public void run() {
            for (int i = 0; i < ROUNDS; i++) {
                synchronized (lock) {
                    guests++;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Guest guest = new Guest();
        guest.start();
        for (int i = 0; i < ROUNDS; i++) {
            synchronized (lock) {
                hosts++;
            }
            pause();
        }
        guest.join();
        synchronized (lock) {
            System.out.println("hosts " + hosts + " guests " + guests);
        }
    }
}
