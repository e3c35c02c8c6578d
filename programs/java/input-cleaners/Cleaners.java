import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;

/** A cleaner of the program's own: its actions run when the collector found the objects gone, or when the program says so. */
public class Cleaners {
    static final Cleaner cleaner = Cleaner.create();
    static final List<String> cleaned = new ArrayList<>();

    public static void main(String[] arguments) throws InterruptedException {
        List<Object> kept = new ArrayList<>();
        List<Cleaner.Cleanable> cleanables = new ArrayList<>();
        int seen = 0;
        for (int i = 0; i < 40; i++) {
            Object object = new Object();
            String name = "object " + i;
            cleanables.add(cleaner.register(object, () -> clean(name)));
            if (i % 4 == 0) kept.add(object);
            object = null;
            if (i % 10 == 9) System.gc();
            synchronized (cleaned) {
                seen = seen * 7 + cleaned.size();
            }
        }
        System.gc();
        Thread.sleep(20);
        cleanables.get(0).clean();
        cleanables.get(0).clean();
        synchronized (cleaned) {
            System.out.println("cleaned " + cleaned.size() + " " + cleaned);
        }
        System.out.println("kept " + kept.size() + " seen " + seen);
    }

    static void clean(String name) {
        synchronized (cleaned) {
            cleaned.add(name + (Thread.currentThread().getName().equals("main") ? " by hand" : ""));
            if (cleaned.size() == 8) System.out.println("eight on " + Thread.currentThread().getName());
        }
    }
}
