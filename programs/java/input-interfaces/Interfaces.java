import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.List;

/** What the machine says of its network: interfaces, its own name, names that it knows or not. */
public class Interfaces {
    public static void main(String[] arguments) throws Exception {
        Thread a = new Thread(() -> resolve("a", "localhost"), "a"), b = new Thread(() -> resolve("b", "no-such-name.invalid"), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            System.out.println("interface " + one.getName() + " " + one.isUp() + " " + one.isLoopback() + " " + one.getMTU() + " " + Collections.list(one.getInetAddresses()));
        }
        InetAddress own = InetAddress.getLocalHost();
        System.out.println("host " + own.getHostName() + " loopback " + InetAddress.getLoopbackAddress() + " reachable " + InetAddress.getLoopbackAddress().isReachable(500) + " at " + System.nanoTime());
    }

    static void resolve(String who, String name) {
        try {
            System.out.println(who + " " + List.of(InetAddress.getAllByName(name)).size());
        } catch (UnknownHostException e) {
            System.out.println(who + " unknown " + e.getMessage());
        }
    }
}
