import java.lang.management.ManagementFactory;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Tasks of about two microseconds, from one queue to four threads; each counts in a concurrent map. Arguments: tasks for warm-up; tasks measured.
 * Prints the CPU time of the whole process for one task.
 */
public class ExecutorTasks {
    private static final ConcurrentHashMap<Integer, Integer> counts = new ConcurrentHashMap<>();

    private static int work(int x) {
        for (int i = 0; i < 1000; i++) {
            // A xorshift: unlike a linear generator, compilers cannot fold several steps into one.
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    private static void run(ThreadPoolExecutor executor, int tasks) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(tasks);
        for (int i = 1; i <= tasks; i++) {
            int seed = i;
            executor.execute(() -> {
                counts.merge(work(seed) & 1023, 1, Integer::sum);
                done.countDown();
            });
        }
        done.await();
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws InterruptedException {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(4, 4, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        run(executor, Integer.parseInt(args[0]));
        int tasks = Integer.parseInt(args[1]);
        long cpu = cpu(), wall = System.nanoTime();
        run(executor, tasks);
        System.out.println("cpu_ns " + (double) (cpu() - cpu) / tasks);
        System.out.println("wall_ns " + (double) (System.nanoTime() - wall) / tasks);
        executor.shutdown();
    }
}
