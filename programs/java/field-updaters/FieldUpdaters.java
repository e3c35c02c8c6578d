import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Field updaters for int, long and references on the volatile fields of one account.
 * May vary: which balance each thread sees, and whose note is there. The sums are right.
 */
public class FieldUpdaters {
    static final class Account {
        private static final AtomicIntegerFieldUpdater<Account> COUNT =
            AtomicIntegerFieldUpdater.newUpdater(Account.class, "count");
        private static final AtomicLongFieldUpdater<Account> BALANCE =
            AtomicLongFieldUpdater.newUpdater(Account.class, "balance");
        private static final AtomicReferenceFieldUpdater<Account, String> NOTE =
            AtomicReferenceFieldUpdater.newUpdater(Account.class, String.class, "note");

        private volatile int count;
        private volatile long balance;
        private volatile String note = "";
    }

    private static final Account account = new Account();

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 300; round++) {
                work(3_000);
                Account.COUNT.incrementAndGet(account);
                long before = Account.BALANCE.getAndAdd(account, number + 1);
                String seen = Account.NOTE.get(account);
                boolean written = Account.NOTE.compareAndSet(account, seen, getName() + round);
                note(before);
                note(seen.hashCode());
                note(written ? 1 : 0);
                if (round % 5 == 0) {
                    note(Account.NOTE.getAndSet(account, getName()).hashCode());
                    note(Account.BALANCE.updateAndGet(account, value -> value + 1));
                    Account.NOTE.lazySet(account, getName());
                }
                note(account.count);
            }
        }

        private void note(long value) {
            hash = hash * 31 + value;
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

    public static void main(String[] args) throws Exception {
        Worker[] workers = new Worker[3];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash));
        }
        System.out.println("count " + account.count + " balance " + account.balance);
    }
}
