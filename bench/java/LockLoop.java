import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Threads that take a lock around about 60 ns of work, again and again.
 * Arguments: number of threads; `private` or `shared` lock; `app` (a lock of an application class) or `object` (a plain Object);
 * iterations per thread. Prints CPU and wall time per iteration after a warm-up.
 */
public class LockLoop {
    private static final int WORK = 36;

    static final class AppLock {
    }

    static final class Worker extends Thread {
        private final Object lock;
        private final int iterations;
        private int noise = 1;
        private long cpuNanos;

        Worker(Object lock, int iterations) {
            this.lock = lock;
            this.iterations = iterations;
        }

        @Override
        public void run() {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadCpuTime();
            loop();
            cpuNanos = threads.getCurrentThreadCpuTime() - before;
        }

        private void loop() {
            for (int i = 0; i < iterations; i++) {
                synchronized (lock) {
                    int x = noise;
                    for (int step = 0; step < WORK; step++) {
                        x ^= x << 13;
                        x ^= x >>> 17;
                        x ^= x << 5;
                    }
                    noise = x;
                }
            }
        }
    }

    private static Object newLock(String kind) {
        return switch (kind) {
            case "app" -> new AppLock();
            case "object" -> new Object();
            default -> throw new IllegalArgumentException(kind);
        };
    }

    /** Runs the loop in `count` threads and returns CPU and wall nanoseconds per iteration and thread. */
    private static double[] measure(int count, boolean shared, String kind, int iterations) throws InterruptedException {
        Object common = newLock(kind);
        Worker[] workers = new Worker[count];
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker(shared ? common : newLock(kind), iterations);
        }
        long before = System.nanoTime();
        for (Worker worker : workers) {
            worker.start();
        }
        long cpu = 0;
        for (Worker worker : workers) {
            worker.join();
            cpu += worker.cpuNanos;
        }
        double wall = System.nanoTime() - before;
        return new double[] {(double) cpu / count / iterations, wall / count / iterations};
    }

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[0]);
        boolean shared = args[1].equals("shared");
        int iterations = Integer.parseInt(args[3]);
        measure(count, shared, args[2], Math.min(iterations, 200_000));
        double[] perIteration = measure(count, shared, args[2], iterations);
        System.out.println("cpu_ns " + perIteration[0]);
        System.out.println("wall_ns " + perIteration[1]);
    }
}
