import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A scheduled pool of two threads with one-shot, fixed-rate and fixed-delay tasks.
 * May vary: the order of the ticks, how many there are before they are cancelled, and who runs them.
 */
public class ScheduledPool {
    private static final StringBuilder ticks = new StringBuilder();

    private static void tick(char what) {
        String thread = Thread.currentThread().getName();
        synchronized (ticks) {
            ticks.append(what).append(thread.charAt(thread.length() - 1));
        }
    }

    public static void main(String[] args) throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
        ScheduledFuture<?> rate = pool.scheduleAtFixedRate(() -> tick('r'), 1, 2, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> delay = pool.scheduleWithFixedDelay(() -> tick('d'), 500, 1_500, TimeUnit.MICROSECONDS);
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            int number = i;
            ScheduledFuture<Integer> once = pool.schedule(() -> {
                tick('o');
                return number;
            }, 1 + i % 3, TimeUnit.MILLISECONDS);
            sum += once.get();
        }
        rate.cancel(false);
        delay.cancel(true);
        ScheduledFuture<?> late = pool.schedule(() -> tick('l'), 1, TimeUnit.MILLISECONDS);
        Thread.sleep(1);
        System.out.println("late cancelled " + late.cancel(false));
        pool.shutdown();
        System.out.println("ended " + pool.awaitTermination(10, TimeUnit.SECONDS) + " sum " + sum);
        System.out.println("ticks " + ticks);
    }
}
