import java.util.ArrayList;
import java.util.List;

/** Three threads put their names into one list; who comes when differs from run to run. */
public class Racing {
    private static final int ROUNDS = 400;
    private static final List<String> seen = new ArrayList<>();

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) threads[i] = new Thread(Racing::race, "racer-" + i);
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        StringBuilder text = new StringBuilder();
        for (String name : seen) text.append(name.charAt(name.length() - 1));
        System.out.println(text.toString().hashCode() + " " + text);
    }

    private static void race() {
        for (int i = 0; i < ROUNDS; i++) {
            synchronized (seen) {
                seen.add(Thread.currentThread().getName());
            }
            work();
        }
    }

    /** Something that a profiler sees. */
    private static long work() {
        long sum = 0;
        for (int i = 0; i < 2000; i++) sum = sum * 31 + i;
        return sum;
    }
}
