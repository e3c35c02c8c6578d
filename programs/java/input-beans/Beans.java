import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the management beans say about the process: time, memory, collections, threads. */
public class Beans {
    public static void main(String[] args) throws Exception {
        List<byte[]> garbage = new ArrayList<>();
        Thread worker = new Thread(() -> {
            for (int i = 0; i < 2_000; i++) {
                if (i % 100 == 0) garbage.clear();
                garbage.add(new byte[20_000]);
            }
            process("worker");
        }, "worker");
        worker.start();
        worker.join();
        process("main");
        memory();
        threads();
    }

    static synchronized void process(String who) {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.out.println(who + " cpu " + system.getProcessCpuTime() + " virtual " + system.getCommittedVirtualMemorySize() + " free " + system.getFreeMemorySize());
        System.out.println(who + " load " + system.getProcessCpuLoad() + " " + system.getCpuLoad());
        System.out.println(who + " up " + ManagementFactory.getRuntimeMXBean().getUptime() + " since " + ManagementFactory.getRuntimeMXBean().getStartTime());
        System.out.println(who + " classes " + ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount() + " compiled " + ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
    }

    static void memory() {
        System.out.println("heap " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage());
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) System.out.println("pool " + pool.getName() + " " + pool.getUsage() + " peak " + pool.getPeakUsage());
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            System.out.println("collector " + collector.getName() + " " + collector.getCollectionCount() + " " + collector.getCollectionTime());
        }
    }

    static void threads() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        System.out.println("threads " + threads.getThreadCount() + " " + threads.getTotalStartedThreadCount() + " " + Arrays.toString(threads.getAllThreadIds()));
        System.out.println("mine " + threads.getCurrentThreadCpuTime() + " " + threads.getCurrentThreadUserTime() + " deadlocked " + Arrays.toString(threads.findDeadlockedThreads()));
        ThreadInfo me = threads.getThreadInfo(Thread.currentThread().getId(), 5);
        System.out.println("info " + me.getThreadName() + " " + me.getThreadState() + " " + me.getBlockedCount() + " " + me.getStackTrace().length);
    }
}
