import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Threads that do nothing but plain accesses, ten a step: seven to what only they have, three to fields of objects that all of them read and write.
 * Arguments: threads; steps of each; shared objects. Prints the CPU time of one access, after a warm-up.
 */
public class SharedKernel {
    static final class Point {
        int x, y;
    }

    private static final class Worker extends Thread {
        private final Point[] shared;
        private final int steps;
        private int random;
        private int result;
        private long cpu;

        Worker(Point[] shared, int steps, int seed) {
            this.shared = shared;
            this.steps = steps;
            this.random = seed;
        }

        @Override
        public void run() {
            Point[] own = points(64);
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadCpuTime();
            result = work(shared, own, steps, random);
            cpu = threads.getCurrentThreadCpuTime() - before;
        }
    }

    private static Point[] points(int count) {
        Point[] points = new Point[count];
        for (int i = 0; i < count; i++) {
            points[i] = new Point();
        }
        return points;
    }

    private static int work(Point[] shared, Point[] own, int steps, int random) {
        int sum = 0;
        for (int i = 0; i < steps; i++) {
            random ^= random << 13;
            random ^= random >>> 17;
            random ^= random << 5;
            Point a = own[random & own.length - 1], b = own[random >>> 6 & own.length - 1];
            Point common = shared[random >>> 12 & shared.length - 1];
            a.x += i;
            b.y = a.y + random;
            sum += b.x;
            common.x += sum;
            sum ^= common.y;
        }
        return sum;
    }

    private static double nanos(int threads, int steps, Point[] shared) throws InterruptedException {
        Worker[] workers = new Worker[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker(shared, steps, i * 77 + 1);
            workers[i].start();
        }
        double cpu = 0;
        for (Worker worker : workers) {
            worker.join();
            cpu += worker.cpu;
        }
        return cpu / threads / steps / 10;
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]), steps = Integer.parseInt(args[1]);
        Point[] shared = points(Integer.parseInt(args[2]));
        nanos(threads, steps / 4, shared);
        nanos(threads, steps / 4, shared);
        double best = Double.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            best = Math.min(best, nanos(threads, steps, shared));
        }
        System.out.println("cpu_ns " + best);
    }
}
