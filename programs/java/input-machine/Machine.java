import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.ForkJoinPool;

/** What a program can find out about the machine and the process it runs in. */
public class Machine {
    public static void main(String[] args) throws Exception {
        Runtime runtime = Runtime.getRuntime();
        System.out.println("processors " + runtime.availableProcessors() + " " + ForkJoinPool.getCommonPoolParallelism());
        System.out.println("memory " + runtime.freeMemory() + " of " + runtime.totalMemory() + ", at most " + runtime.maxMemory());
        System.out.println("process " + ProcessHandle.current().pid() + " parent " + ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L));
        System.out.println("started " + ProcessHandle.current().info().startInstant().orElse(null));
        System.out.println("variable " + System.getenv("REWEAVE_TEST_GREETING") + " of " + System.getenv().size());
        System.out.println("zone " + TimeZone.getDefault().getID() + " locale " + Locale.getDefault());
        System.out.println("host " + java.net.InetAddress.getLocalHost().getHostName());
        System.out.println("interfaces " + java.net.NetworkInterface.networkInterfaces().map(i -> i.getName() + i.getIndex()).toList());
    }
}
