import java.util.ArrayList;
import java.util.List;

/** A class is initialised by whoever needs it first; the VM orders that before every use. */
public class Holder {
    static final class Lazy {
        static final List<String> NAMES = new ArrayList<>();
        static int uses = 7;

        static {
            NAMES.add("one");
            NAMES.add("two");
        }
    }

    static void use() {
        int sum = Lazy.uses;
        for (String name : Lazy.NAMES) sum += name.length();
        System.out.println(sum);
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(Holder::use, "a");
        Thread b = new Thread(Holder::use, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
