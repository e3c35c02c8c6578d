/** Threads that take turns at one lock, many short-lived ones among them. Arguments: rounds, and the exit code. */
public class Busy {
    private static long sum;

    private static synchronized void add(long value) {
        sum += value;
    }

    public static void main(String[] args) throws InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) threads[i] = new Thread(() -> work(rounds), "worker-" + i);
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("sum " + sum);
        System.exit(Integer.parseInt(args[1]));
    }

    private static void work(int rounds) {
        Object mine = new Object();
        for (int i = 0; i < rounds; i++) {
            synchronized (mine) {
                add(System.nanoTime() & 1);
            }
            if (i % 2000 == 0) brief();
        }
    }

    private static void brief() {
        Thread thread = new Thread(() -> add(1), "brief");
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
