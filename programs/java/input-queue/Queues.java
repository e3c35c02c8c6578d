import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/** Reference queues: what comes out of them, when, and on which thread. */
public class Queues {
    static final ReferenceQueue<Object> queue = new ReferenceQueue<>();
    static final Map<Reference<?>, String> names = new HashMap<>();
    static int taken;

    public static void main(String[] arguments) throws InterruptedException {
        Thread reader = new Thread(Queues::read, "reader"), impatient = new Thread(Queues::poll, "impatient");
        reader.start();
        impatient.start();
        for (int i = 0; i < 60; i++) {
            Object object = new Object();
            synchronized (names) {
                names.put(i % 2 == 0 ? new WeakReference<>(object, queue) : new PhantomReference<>(object, queue), "object " + i);
            }
            object = null;
            if (i % 12 == 11) System.gc();
        }
        System.gc();
        System.gc();
        Thread.sleep(30);
        reader.interrupt();
        reader.join();
        impatient.join();
        int left;
        synchronized (names) {
            left = names.size();
        }
        System.out.println("left " + left + " taken " + taken);
    }

    static void read() {
        StringBuilder order = new StringBuilder();
        try {
            while (true) {
                Reference<?> reference = queue.remove(1000);
                if (reference == null) break;
                order.append(take(reference));
            }
        } catch (InterruptedException e) {
            order.append(" interrupted");
        }
        System.out.println("reader:" + order);
    }

    static void poll() {
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            Reference<?> reference = queue.poll();
            if (reference != null) order.append(take(reference)).append('@').append(i);
            if (i % 20 == 0) Thread.yield();
        }
        System.out.println("impatient:" + order);
    }

    static String take(Reference<?> reference) {
        synchronized (names) {
            taken++;
            return " " + names.remove(reference) + (reference.get() == null ? "" : "?");
        }
    }
}
