import java.util.ArrayList;
import java.util.List;

/** Objects with finalizers: which are finalized, in which order, and when. */
public class Finalizers {
    static final List<String> finalized = new ArrayList<>();

    static final class Resource {
        final String name;

        Resource(String name) {
            this.name = name;
        }

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() {
            synchronized (finalized) {
                finalized.add(name);
                if (finalized.size() % 10 == 0) System.out.println(finalized.size() + " finalized on " + Thread.currentThread().getName());
            }
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> make("a"), "a"), b = new Thread(() -> make("b"), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.gc();
        Thread.sleep(20);
        synchronized (finalized) {
            System.out.println("finalized " + finalized.size() + " " + finalized);
        }
    }

    static void make(String who) {
        int most = 0;
        for (int i = 0; i < 40; i++) {
            new Resource(who + i);
            if (i % 15 == 14) System.gc();
            synchronized (finalized) {
                most = most * 3 + finalized.size();
            }
        }
        System.out.println(who + " saw " + most);
    }
}
