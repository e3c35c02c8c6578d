import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Tasks of a pool add to a plain field; submitting and waiting for the end are ordered, the tasks are not. */
public class PoolTasks {
    private static int done;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int i = 0; i < 60; i++) {
            pool.execute(() -> {
                done++; // race: PoolTasks.done
            });
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(done <= 60);
    }
}
