import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Date;

/**
 * Every clock there is, read by two threads that tell each other what they read.
 * May vary: all of it.
 */
public class Clocks {
    private static long latest;
    private static int overtaken;

    private static synchronized void tell(long nanos) {
        if (nanos < latest) {
            overtaken++;
        }
        latest = Math.max(latest, nanos);
    }

    static final class Reader extends Thread {
        private long hash = 17;

        Reader(String name) {
            super(name);
        }

        @Override
        public void run() {
            for (int i = 0; i < 100; i++) {
                tell(System.nanoTime());
                hash = hash * 31 + System.currentTimeMillis();
                hash = hash * 31 + Instant.now().getNano();
                hash = hash * 31 + new Date().getTime();
                hash = hash * 31 + Clock.systemUTC().millis();
                hash = hash * 31 + LocalDateTime.now().getNano();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Reader[] readers = {new Reader("a"), new Reader("b")};
        for (Reader reader : readers) {
            reader.start();
        }
        for (Reader reader : readers) {
            reader.join();
            System.out.println(reader.getName() + " hash " + Long.toHexString(reader.hash));
        }
        System.out.println("overtaken " + overtaken + " nanos " + latest);
        System.out.println("now " + Instant.now());
    }
}
