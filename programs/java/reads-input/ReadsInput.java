import java.io.IOException;

/**
 * One thread loads a class, and its class loader reads a byte from standard input, which is not recorded; the thread hands it over under a lock, which main looks at
 * again and again. May vary: how often main looks.
 */
public class ReadsInput {
    private static final Object lock = new Object();
    private static boolean done;
    private static int value;

    private static final class Asking extends ClassLoader {
        int read;

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
                read = System.in.read();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            throw new ClassNotFoundException(name);
        }
    }

    private static void read() {
        Asking loader = new Asking();
        try {
            loader.loadClass("nowhere.to.be.Found");
        } catch (ClassNotFoundException e) {
            synchronized (lock) {
                value = loader.read;
                done = true;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread reader = new Thread(ReadsInput::read, "reader");
        reader.start();
        int looks = 0;
        while (true) {
            looks++;
            synchronized (lock) {
                if (done) {
                    break;
                }
            }
            Thread.yield();
        }
        reader.join();
        System.out.println("read " + value + " after " + looks + " looks");
    }
}
