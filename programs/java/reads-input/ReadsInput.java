import java.io.IOException;

/**
 * One thread reads a byte from standard input and hands it over under a lock, which main looks at again and again.
 * May vary: how often main looks.
 */
public class ReadsInput {
    private static final Object lock = new Object();
    private static boolean done;
    private static int value;

    private static void read() {
        try {
            int read = System.in.read();
            synchronized (lock) {
                value = read;
                done = true;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
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
