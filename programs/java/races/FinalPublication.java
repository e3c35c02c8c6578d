/** The fields are final, so whoever sees the object sees them; that it is seen at all is a race. */
public class FinalPublication {
    static final class Pair {
        final int left;
        final int right;

        Pair(int left, int right) {
            this.left = left;
            this.right = right;
        }
    }

    private Pair pair;

    private void write() {
        for (int i = 0; i < 100; i++) {
            pair = new Pair(i, i); // race: FinalPublication.pair
        }
    }

    private void read() {
        for (int i = 0; i < 100; i++) {
            Pair seen = pair; // race: FinalPublication.pair
            if (seen != null && seen.left != seen.right) System.out.println("torn");
        }
    }

    public static void main(String[] args) throws Exception {
        FinalPublication shared = new FinalPublication();
        Thread a = new Thread(shared::write, "a");
        Thread b = new Thread(shared::read, "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
