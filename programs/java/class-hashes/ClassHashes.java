import java.util.HashMap;
import java.util.Map;

/**
 * Identity hashes of classes: of the JDK, of its arrays and of the program, some of them in use before main. Two threads count in a table with classes as keys, and its order shows.
 * May vary: how often each thread came first.
 */
public class ClassHashes {
    private static final Map<Class<?>, StringBuilder> table = new HashMap<>();
    private static final Class<?>[] classes = {
        java.util.Locale.class, java.io.File.class, java.io.PrintWriter.class, java.nio.charset.Charset.class, Long.class,
        java.util.BitSet.class, int[].class, String[][].class, ClassHashes.class, Worker.class, Runnable.class, void.class,
    };

    static final class Worker extends Thread {
        private int noise = 1;

        Worker(String name) {
            super(name);
        }

        @Override
        public void run() {
            for (int round = 0; round < 40; round++) {
                work(20_000);
                synchronized (table) {
                    table.computeIfAbsent(classes[round % classes.length], type -> new StringBuilder()).append(getName());
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
        Worker a = new Worker("a"), b = new Worker("b");
        a.start();
        b.start();
        a.join();
        b.join();
        table.forEach((type, names) -> System.out.println(type + " " + System.identityHashCode(type) + " " + names));
        System.out.println(table.size() + " classes");
    }
}
