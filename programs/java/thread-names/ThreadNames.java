import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Threads that create threads at the same time, without names: the JVM numbers them as they come.
 * May vary: which thread gets which name and id.
 */
public class ThreadNames {
    private static final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();

    private static void noteMyself(String what) {
        Thread me = Thread.currentThread();
        seen.add(what + " " + me.getName() + " id " + me.getId());
    }

    private static void parent(int number) {
        Thread[] children = new Thread[6];
        for (int i = 0; i < children.length; i++) {
            int child = i;
            children[i] = new Thread(() -> noteMyself(number + "." + child));
            children[i].start();
            Thread.yield();
        }
        try {
            for (Thread child : children) {
                child.join();
            }
            ExecutorService pool = Executors.newFixedThreadPool(2);
            pool.execute(() -> noteMyself(number + ".pool"));
            pool.execute(() -> noteMyself(number + ".pool"));
            pool.shutdown();
            pool.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] parents = new Thread[3];
        for (int i = 0; i < parents.length; i++) {
            int number = i;
            parents[i] = new Thread(() -> parent(number));
        }
        for (Thread parent : parents) {
            parent.start();
        }
        for (Thread parent : parents) {
            parent.join();
        }
        seen.forEach(System.out::println);
        System.out.println("main " + Thread.currentThread().getId() + " count " + seen.size());
    }
}
