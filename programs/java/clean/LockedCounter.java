/** A counter in a synchronized method, read in a synchronized block; both are re-entered. */
public class LockedCounter {
    private int count;

    private synchronized void add() {
        synchronized (this) {
            count++;
        }
        count++;
    }

    private void work() {
        for (int i = 0; i < 100; i++) {
            add();
            synchronized (this) {
                if (count < 0) System.out.println("negative");
            }
        }
    }

    public static void main(String[] args) throws Exception {
        LockedCounter shared = new LockedCounter();
        Thread a = new Thread(shared::work, "a");
        Thread b = new Thread(shared::work, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(shared.count);
    }
}
