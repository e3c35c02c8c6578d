/**
 * Four tellers move money between accounts: two account monitors nested in a fixed order, and the ledger's inside both.
 * May vary: the order of the transfers, and so which of them find too little money. The total may not.
 */
public class NestedLocks {
    static final class Account {
        final int number;
        int balance = 100;

        Account(int number) {
            this.number = number;
        }
    }

    static final Account[] accounts = new Account[4];
    static final StringBuilder ledger = new StringBuilder();

    static final class Teller extends Thread {
        private int noise;
        private int refused;

        Teller(String name, int seed) {
            super(name);
            noise = seed;
        }

        @Override
        public void run() {
            for (int i = 0; i < 150; i++) {
                work(10_000);
                transfer(accounts[noise >>> 30], accounts[(noise >>> 28) & 3], (noise >>> 20) & 63);
            }
        }

        private void transfer(Account from, Account to, int amount) {
            Account first = from.number <= to.number ? from : to;
            Account second = first == from ? to : from;
            synchronized (first) {
                work(1000);
                synchronized (second) {
                    boolean enough = from.balance >= amount;
                    if (enough) {
                        from.balance -= amount;
                        to.balance += amount;
                    } else {
                        refused++;
                    }
                    synchronized (ledger) {
                        ledger.append(getName()).append(enough ? "" : "-");
                    }
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
        for (int i = 0; i < accounts.length; i++) {
            accounts[i] = new Account(i);
        }
        Teller[] tellers = {new Teller("a", 1), new Teller("b", 2), new Teller("c", 3), new Teller("d", 4)};
        for (Teller teller : tellers) {
            teller.start();
        }
        int refused = 0;
        for (Teller teller : tellers) {
            teller.join();
            refused += teller.refused;
        }
        int total = 0;
        StringBuilder balances = new StringBuilder();
        for (Account account : accounts) {
            total += account.balance;
            balances.append(' ').append(account.balance);
        }
        System.out.println("balances" + balances + ", refused " + refused);
        System.out.println("ledger " + ledger.substring(200, 260) + " hash " + Integer.toHexString(ledger.toString().hashCode()));
        System.out.println("total " + total);
    }
}
