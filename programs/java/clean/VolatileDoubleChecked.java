/** Double-checked locking as it should be. */
public class VolatileDoubleChecked {
    private static volatile VolatileDoubleChecked instance;
    private int value;

    private VolatileDoubleChecked() {
        value = 42;
    }

    static VolatileDoubleChecked get() {
        VolatileDoubleChecked seen = instance;
        if (seen == null) {
            synchronized (VolatileDoubleChecked.class) {
                seen = instance;
                if (seen == null) {
                    seen = new VolatileDoubleChecked();
                    instance = seen;
                }
            }
        }
        return seen;
    }

    static void use() {
        for (int i = 0; i < 20; i++) {
            if (get().value != 42) System.out.println("half made");
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(VolatileDoubleChecked::use, "a");
        Thread b = new Thread(VolatileDoubleChecked::use, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
