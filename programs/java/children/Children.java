import java.io.IOException;
import java.nio.file.Path;

/**
 * Starts two JVMs, in each of which threads race for a lock, one after the other.
 * May vary: the order of the letters in each line.
 */
public class Children {
    private static final int ROUNDS = 300;
    private static final StringBuilder order = new StringBuilder();

    private static Process child(String name) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "Children", name)
                .inheritIO()
                .start();
    }

    private static void race(String name) throws InterruptedException {
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            char letter = (char) ('a' + i);
            threads[i] = new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    synchronized (order) {
                        order.append(letter);
                    }
                    if (round % 8 == 0) {
                        Thread.yield();
                    }
                }
            });
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(name + " " + order.length() + " hash " + Integer.toHexString(order.toString().hashCode()));
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length > 0) {
            race(args[0]);
            return;
        }
        // One after the other, writing where we write: what comes through a pipe depends on when it comes.
        for (String name : new String[] {"first", "second"}) {
            System.out.println(name + " ended with " + child(name).waitFor());
        }
    }
}
