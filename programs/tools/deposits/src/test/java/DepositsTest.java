import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Flaky: reading and writing the balance are synchronized, but not together, so now and then a deposit is lost. */
class DepositsTest {
    private static final int CLERKS = 3, DEPOSITS = 40;

    private int balance;

    private synchronized int read() {
        return balance;
    }

    private synchronized void write(int value) {
        balance = value;
    }

    @Test
    void noneIsLost() throws InterruptedException {
        Thread[] clerks = new Thread[CLERKS];
        for (int i = 0; i < CLERKS; i++) clerks[i] = new Thread(this::deposit, "clerk-" + i);
        for (Thread clerk : clerks) clerk.start();
        for (Thread clerk : clerks) clerk.join();
        assertEquals(CLERKS * DEPOSITS, read());
    }

    private void deposit() {
        for (int i = 0; i < DEPOSITS; i++) {
            int seen = read();
            if (i == DEPOSITS / 2) Thread.yield();
            write(seen + 1);
        }
    }
}
