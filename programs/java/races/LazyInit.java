/** A field that whoever comes first fills in, as String.hashCode does. */
public class LazyInit {
    private final String text;
    private int hash;

    LazyInit(String text) {
        this.text = text;
    }

    int lazyHash() {
        if (hash == 0) { // race: LazyInit.hash
            hash = text.length() + 1; // race: LazyInit.hash
        }
        return hash; // race: LazyInit.hash
    }

    public static void main(String[] args) throws Exception {
        LazyInit[] all = new LazyInit[40];
        for (int i = 0; i < all.length; i++) all[i] = new LazyInit("x".repeat(i));
        Runnable walk = () -> {
            int sum = 0;
            for (LazyInit one : all) sum += one.lazyHash();
            System.out.println(sum);
        };
        Thread a = new Thread(walk, "a");
        Thread b = new Thread(walk, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
