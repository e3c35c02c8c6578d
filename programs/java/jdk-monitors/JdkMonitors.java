import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.NumberFormat;
import java.util.Currency;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Parts of the JDK that lock something of their own and use concurrent maps and properties inside: time zones, locales, charsets, digests.
 * May vary: who sets them up, which must not show, and the order of the steps, which does.
 */
public class JdkMonitors {
    static final AtomicInteger steps = new AtomicInteger();
    private static final String[] ZONES = {"Europe/Paris", "Asia/Tokyo", "America/Lima", "UTC"};
    private static final String[] CHARSETS = {"windows-1252", "ISO-8859-15", "IBM850", "UTF-16LE"};

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 24; round++) {
                work(10_000);
                int i = (round + number) % 4;
                switch ((round * 3 + number) % 6) {
                    case 0 -> note(TimeZone.getDefault().getID().hashCode());
                    case 1 -> note(TimeZone.getTimeZone(ZONES[i]).getRawOffset());
                    case 2 -> note(Charset.forName(CHARSETS[i]).name().hashCode());
                    case 3 -> note(NumberFormat.getInstance(Locale.forLanguageTag("de-AT")).format(round * 1234.5).hashCode());
                    case 4 -> note(Currency.getInstance("EUR").getNumericCode());
                    default -> note(digest(getName() + round));
                }
                note(steps.incrementAndGet());
            }
        }

        private int digest(String text) {
            try {
                return MessageDigest.getInstance("SHA-256").digest(text.getBytes())[0];
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        private void note(long value) {
            hash = hash * 31 + value;
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

    public static void main(String[] args) throws Exception {
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash));
        }
        System.out.println("steps " + steps.get());
    }
}
