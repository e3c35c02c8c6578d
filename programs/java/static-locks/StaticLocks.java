/**
 * Locks that belong to classes: static synchronized methods, blocks on class literals (also of an array type and of a JDK class).
 * May vary: the order in which the threads pass through them. The counts may not.
 */
public class StaticLocks {
    private static final StringBuilder order = new StringBuilder();
    private static int tickets;

    static synchronized int ticket(char who) {
        order.append(who);
        return tickets++;
    }

    static final class Office {
        private static int stamps;
        private static int hash = 17;

        static synchronized void stamp(int ticket) {
            stamps++;
            hash = hash * 31 + ticket;
        }

        static void countTwice(int ticket) {
            synchronized (Office.class) {
                stamp(ticket);
                stamp(-ticket);
            }
        }
    }

    static final class Clerk extends Thread {
        private final char who;
        private int noise;

        Clerk(char who) {
            super("clerk-" + who);
            this.who = who;
            noise = who;
        }

        @Override
        public void run() {
            for (int i = 0; i < 200; i++) {
                work(10_000);
                int ticket = ticket(who);
                if (ticket % 5 == 0) {
                    Office.countTwice(ticket);
                } else {
                    Office.stamp(ticket);
                }
                if (ticket % 7 == 0) {
                    synchronized (StaticLocks.class) {
                        order.append('.');
                    }
                }
                synchronized (i % 2 == 0 ? int[].class : String.class) {
                    work(500);
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

    public static void main(String[] args) throws InterruptedException {
        Clerk[] clerks = {new Clerk('x'), new Clerk('y'), new Clerk('z')};
        for (Clerk clerk : clerks) {
            clerk.start();
        }
        for (Clerk clerk : clerks) {
            clerk.join();
        }
        System.out.println("tickets " + tickets + " stamps " + Office.stamps);
        System.out.println("order " + order.substring(300, 360) + " hash " + Integer.toHexString(order.toString().hashCode()));
        System.out.println("office " + Integer.toHexString(Office.hash));
    }
}
