import java.util.ArrayList;
import java.util.List;

/**
 * Three clerks sell and book each sale under one lock. The ledger has a lock of its own, which the program takes only at its end,
 * so a debugger that peeks into the ledger is the first to do so.
 * May vary: the order of the sales.
 */
public class Debugged {
    private static final int SALES = 200;
    private static final Object counter = new Object();
    private static final Ledger ledger = new Ledger();
    private static int hash;

    static final class Ledger {
        private final List<String> entries = new ArrayList<>();

        synchronized int peek() {
            return entries.size();
        }
    }

    private static void sell(String clerk) {
        for (int i = 0; i < SALES; i++) {
            synchronized (counter) {
                book(clerk, i);
            }
            if (i % 16 == 0) {
                Thread.yield();
            }
        }
    }

    /** The caller holds the lock of the counter. */
    private static void book(String clerk, int number) {
        hash = hash * 31 + clerk.hashCode() + number;
        ledger.entries.add(clerk + number);
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] clerks = new Thread[3];
        for (int i = 0; i < clerks.length; i++) {
            String name = "abc".substring(i, i + 1);
            clerks[i] = new Thread(() -> sell(name), "clerk-" + name);
        }
        for (Thread clerk : clerks) {
            clerk.start();
        }
        for (Thread clerk : clerks) {
            clerk.join();
        }
        System.out.println("sales " + ledger.peek() + " hash " + Integer.toHexString(hash));
        System.out.println("some " + ledger.entries.subList(290, 300));
    }
}
