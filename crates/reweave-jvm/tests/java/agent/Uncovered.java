import java.lang.management.ManagementFactory;

/** Prints something that differs from run to run and is not recorded. */
public class Uncovered {
    public static void main(String[] arguments) {
        String name = "reading";
        synchronized (name) {
            System.out.println("begin");
        }
        System.out.println(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
    }
}
