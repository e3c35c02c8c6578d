import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What a task gets and what it gives back is ordered by the pool and the future. */
public class PoolResults {
    static final class Job {
        int input;
        int output;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Job> jobs = new ArrayList<>();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Job job = new Job();
            job.input = i;
            jobs.add(job);
            futures.add(pool.submit(() -> {
                job.output = job.input * job.input;
            }));
        }
        int sum = 0;
        for (int i = 0; i < 30; i++) {
            futures.get(i).get();
            sum += jobs.get(i).output;
        }
        pool.shutdown();
        System.out.println(sum);
    }
}
