/** Double-checked locking without volatile: the first check races with the assignment. */
public class DoubleChecked {
    private static DoubleChecked instance;
    private int value;

    private DoubleChecked() {
        value = 42; // race: DoubleChecked.value
    }

    static DoubleChecked get() {
        if (instance == null) { // race: DoubleChecked.instance
            synchronized (DoubleChecked.class) {
                if (instance == null) {
                    instance = new DoubleChecked(); // race: DoubleChecked.instance
                }
            }
        }
        return instance; // race: DoubleChecked.instance
    }

    static void use() {
        for (int i = 0; i < 20; i++) {
            if (get().value != 42) System.out.println("half made"); // race: DoubleChecked.value
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(DoubleChecked::use, "a");
        Thread b = new Thread(DoubleChecked::use, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
