import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;

/**
 * Two Timers with single and repeated tasks, some of which are cancelled.
 * May vary: the order of the ticks, and what is cancelled in time.
 */
public class TimerTasks {
    private static final StringBuilder ticks = new StringBuilder();

    static final class Tick extends TimerTask {
        private final char name;
        private final CountDownLatch left;

        Tick(char name, int times) {
            this.name = name;
            this.left = new CountDownLatch(times);
        }

        @Override
        public void run() {
            synchronized (ticks) {
                ticks.append(name);
            }
            left.countDown();
            if (left.getCount() == 0) {
                cancel();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Timer one = new Timer("one");
        Timer two = new Timer("two", true);
        Tick[] repeated = {new Tick('a', 6), new Tick('b', 6), new Tick('c', 4)};
        one.schedule(repeated[0], 1, 1);
        two.scheduleAtFixedRate(repeated[1], 1, 1);
        two.schedule(repeated[2], 0, 2);
        StringBuilder cancelled = new StringBuilder();
        for (int i = 0; i < 12; i++) {
            Tick single = new Tick((char) ('0' + i % 10), 1);
            (i % 2 == 0 ? one : two).schedule(single, 1);
            Thread.sleep(1);
            cancelled.append(single.cancel() ? 'y' : 'n');
        }
        for (Tick tick : repeated) {
            tick.left.await();
        }
        one.cancel();
        two.cancel();
        synchronized (ticks) {
            System.out.println("ticks " + ticks);
        }
        System.out.println("cancelled " + cancelled + " purged " + one.purge());
    }
}
