import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A gate built on LockSupport: threads queue up and park, the keeper unparks whom the queue's order says. Some use parkNanos and
 * look again by themselves; some get their permit before they park.
 * May vary: the order of arrival, whom the keeper lets in, and so the order of the visits.
 */
public class Park {
    private static final int VISITS = 40;
    private static final List<Visitor> queue = new ArrayList<>();
    private static final StringBuilder visits = new StringBuilder();

    static final class Visitor extends Thread {
        private boolean admitted;
        private int noise = 1;

        Visitor(String name) {
            super(name);
        }

        synchronized boolean takeAdmission() {
            boolean was = admitted;
            admitted = false;
            return was;
        }

        synchronized void admit() {
            admitted = true;
        }

        @Override
        public void run() {
            for (int i = 0; i < VISITS; i++) {
                work(1500);
                synchronized (queue) {
                    queue.add(this);
                    queue.notify();
                }
                // A permit that an earlier unpark left behind makes park return at once, so the state decides.
                while (!takeAdmission()) {
                    if (i % 8 == 7) {
                        LockSupport.parkNanos(200_000);
                    } else {
                        LockSupport.park(queue);
                    }
                }
                synchronized (visits) {
                    visits.append(getName());
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
        Visitor[] visitors = {new Visitor("a"), new Visitor("b"), new Visitor("c")};
        for (Visitor visitor : visitors) {
            visitor.start();
        }
        int longest = 0;
        for (int i = 0; i < VISITS * visitors.length; i++) {
            Visitor next;
            synchronized (queue) {
                while (queue.isEmpty()) {
                    queue.wait();
                }
                longest = Math.max(longest, queue.size());
                next = queue.remove(i % queue.size());
            }
            next.admit();
            LockSupport.unpark(next);
        }
        for (Visitor visitor : visitors) {
            visitor.join();
        }
        System.out.println("visits " + visits.length() + " longest queue " + longest);
        System.out.println("order " + visits.substring(30, 90) + " hash " + Integer.toHexString(visits.toString().hashCode()));
    }
}
