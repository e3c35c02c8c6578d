import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A list in a synchronized wrapper, walked over under its lock. */
public class SynchronizedWrapper {
    private static final List<Integer> list = Collections.synchronizedList(new ArrayList<>());

    static void work() {
        for (int i = 0; i < 30; i++) {
            list.add(i);
            int sum = 0;
            synchronized (list) {
                for (int number : list) sum += number;
            }
            if (sum < 0) System.out.println("negative");
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(SynchronizedWrapper::work, "a");
        Thread b = new Thread(SynchronizedWrapper::work, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(list.size());
    }
}
