import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * Virtual threads sleep, wait and poll, and main interrupts them, sometimes in time.
 * May vary: how each step ends.
 */
public class VirtualInterrupt {
    private static final SynchronousQueue<String> nothing = new SynchronousQueue<>();
    private static final Object monitor = new Object();

    private static void patient(StringBuilder outcome) {
        for (int i = 0; i < 12; i++) {
            try {
                switch (i % 3) {
                    case 0 -> Thread.sleep(2);
                    case 1 -> nothing.poll(2, TimeUnit.MILLISECONDS);
                    default -> {
                        synchronized (monitor) {
                            monitor.wait(2);
                        }
                    }
                }
                outcome.append(Thread.interrupted() ? 'f' : '.');
            } catch (InterruptedException e) {
                outcome.append('i');
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] patients = new Thread[8];
        StringBuilder[] outcomes = new StringBuilder[8];
        for (int i = 0; i < patients.length; i++) {
            StringBuilder outcome = outcomes[i] = new StringBuilder();
            patients[i] = Thread.startVirtualThread(() -> patient(outcome));
        }
        for (int i = 0; i < 24; i++) {
            Thread.sleep(1);
            patients[i * 3 % 8].interrupt();
        }
        for (int i = 0; i < patients.length; i++) {
            patients[i].join();
            System.out.println(i + " " + outcomes[i]);
        }
    }
}
