import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Tasks of a pool add to a plain field; submitting and waiting for the end are ordered, the tasks are not. */
public class PoolTasks {
    private static int done;

    /** So that the other threads get tasks, too. */
    private static void pause() {
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int i = 0; i < 12; i++) {
            pool.execute(() -> {
                done++; // race: PoolTasks.done
                pause();
            });
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(done <= 12);
    }
}
