import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One operation of java.util.concurrent, again and again. Arguments: which; how many threads; operations of each; `own` or `shared`, whether each thread has
 * an object of its own. Prints the CPU time of one operation, after a warm-up.
 */
public class Concurrent {
    private static final int KEYS = 1024;

    /** What is measured. Each has a loop of its own, so that each is compiled for itself. */
    private interface Operation {
        int repeat(int times);
    }

    private static final class Lock implements Operation {
        private final ReentrantLock lock = new ReentrantLock();
        private int guarded;

        @Override
        public int repeat(int times) {
            for (int i = 0; i < times; i++) {
                lock.lock();
                try {
                    guarded += i;
                } finally {
                    lock.unlock();
                }
            }
            return guarded;
        }
    }

    private static final class Increment implements Operation {
        private final AtomicInteger counter = new AtomicInteger();

        @Override
        public int repeat(int times) {
            int last = 0;
            for (int i = 0; i < times; i++) {
                last = counter.incrementAndGet();
            }
            return last;
        }
    }

    private static final class Get implements Operation {
        private static final Integer[] keys = new Integer[KEYS];
        private final ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();

        static {
            for (int i = 0; i < KEYS; i++) {
                keys[i] = i * 31;
            }
        }

        Get() {
            for (Integer key : keys) {
                map.put(key, key + 1);
            }
        }

        @Override
        public int repeat(int times) {
            int sum = 0;
            for (int i = 0; i < times; i++) {
                sum += map.get(keys[i & KEYS - 1]);
            }
            return sum;
        }
    }

    private static Operation operation(String name) {
        switch (name) {
            case "lock":
                return new Lock();
            case "increment":
                return new Increment();
            case "get":
                return new Get();
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static final class Worker extends Thread {
        private final Operation operation;
        private final int times;
        private long cpu;
        private int result;

        Worker(Operation operation, int times) {
            this.operation = operation;
            this.times = times;
        }

        @Override
        public void run() {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadCpuTime();
            result = operation.repeat(times);
            cpu = threads.getCurrentThreadCpuTime() - before;
        }
    }

    private static double nanos(Operation[] operations, int times) throws InterruptedException {
        Worker[] workers = new Worker[operations.length];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(operations[i], times);
            workers[i].start();
        }
        double cpu = 0;
        for (Worker worker : workers) {
            worker.join();
            cpu += worker.cpu;
        }
        return cpu / workers.length / times;
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[1]), times = Integer.parseInt(args[2]);
        Operation[] operations = new Operation[threads];
        for (int i = 0; i < threads; i++) {
            operations[i] = i > 0 && args[3].equals("shared") ? operations[0] : operation(args[0]);
        }
        for (int i = 0; i < 4; i++) {
            nanos(operations, times / 4);
        }
        double best = Double.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            best = Math.min(best, nanos(operations, times));
        }
        System.out.println("cpu_ns " + best);
    }
}
