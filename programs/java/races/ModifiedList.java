import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;

/** One thread walks over a list to which another adds. */
public class ModifiedList {
    private static final List<Integer> list = new ArrayList<>(1000);

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 50; i++) list.add(i);
        Thread adder = new Thread(() -> {
            for (int i = 0; i < 100; i++) {
                list.add(i); // race: java.util.ArrayList.size, java.util.ArrayList.modCount
            }
        }, "adder");
        Thread walker = new Thread(() -> {
            try {
                int sum = 0;
                for (int i : list) { // race: java.util.ArrayList.size, java.util.ArrayList.modCount
                    sum += i;
                }
                System.out.println(sum);
            } catch (ConcurrentModificationException e) {
                System.out.println("modified");
            }
        }, "walker");
        adder.start();
        walker.start();
        adder.join();
        walker.join();
    }
}
