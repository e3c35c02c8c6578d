/** Both sides hold a lock, but not the same one. */
public class TwoLocks {
    private final Object left = new Object();
    private final Object right = new Object();
    private int balance;

    private void deposit() {
        for (int i = 0; i < 50; i++) {
            synchronized (left) {
                balance++; // race: TwoLocks.balance
            }
        }
    }

    private void withdraw() {
        for (int i = 0; i < 50; i++) {
            synchronized (right) {
                balance--; // race: TwoLocks.balance
            }
        }
    }

    public static void main(String[] args) throws Exception {
        TwoLocks account = new TwoLocks();
        Thread a = new Thread(account::deposit, "a");
        Thread b = new Thread(account::withdraw, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(account.balance < 1000);
    }
}
