import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Prints something that differs from run to run and is not recorded. */
public class Uncovered {
    public static void main(String[] arguments) {
        String name = "reading";
        synchronized (name) {
            System.out.println("begin");
        }
        System.gc();
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            if (bean instanceof com.sun.management.GarbageCollectorMXBean ours && ours.getLastGcInfo() != null) {
                System.out.println(ours.getLastGcInfo().getStartTime() + " " + ours.getLastGcInfo().getMemoryUsageBeforeGc());
            }
        }
    }
}
