import java.util.Date;

/** A thread that computes for a while before its first event, while another waits for it. */
public class SlowStart {
    public static void main(String[] arguments) throws Exception {
        Thread thread = new Thread(() -> {
            // The time as the JDK sees it is not recorded, so this is no event.
            long end = new Date().getTime() + 2_500;
            while (new Date().getTime() < end) Thread.onSpinWait();
            System.out.println("computed");
        });
        thread.start();
        thread.join();
        System.out.println("joined");
    }
}
