import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Weak and soft references: when the collector empties them decides what the threads see. */
public class References {
    static final class Named extends WeakReference<byte[]> {
        final String name;

        Named(String name, byte[] referent) {
            super(referent);
            this.name = name;
        }
    }

    static final List<Named> all = new ArrayList<>();
    static int seen;

    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> work("a"), "a"), b = new Thread(() -> work("b"), "b");
        a.start();
        b.start();
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(5);
        }
        a.join();
        b.join();
        SoftReference<int[]> soft = new SoftReference<>(new int[] {7});
        System.out.println("soft " + (soft.get() == null ? "gone" : soft.get()[0]) + " refers to nothing " + soft.refersTo(null));
        WeakReference<Object> cleared = new WeakReference<>(new Object());
        cleared.clear();
        System.out.println("cleared " + cleared.get());
        System.out.println("hash " + Integer.toHexString(seen));
    }

    static void work(String name) {
        StringBuilder alive = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            byte[] kept = new byte[10_000];
            synchronized (all) {
                all.add(new Named(name + i, kept));
                all.add(new Named(name + i + "'", new byte[1000]));
            }
            int count = 0;
            synchronized (all) {
                for (Named one : all) {
                    if (one.get() != null) count++;
                    if (!one.refersTo(null)) seen = seen * 31 + one.name.hashCode();
                }
            }
            alive.append(' ').append(count);
            if (i % 10 == 9) Thread.yield();
        }
        System.out.println(name + " saw" + alive);
    }
}
