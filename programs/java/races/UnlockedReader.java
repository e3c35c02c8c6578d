/** Writers take the lock, the reader does not. */
public class UnlockedReader {
    private int size;

    private synchronized void grow() {
        size++; // race: UnlockedReader.size
    }

    private int size() {
        return size; // race: UnlockedReader.size
    }

    public static void main(String[] args) throws Exception {
        UnlockedReader shared = new UnlockedReader();
        Thread writer = new Thread(() -> {
            for (int i = 0; i < 100; i++) shared.grow();
        }, "writer");
        Thread reader = new Thread(() -> {
            int last = 0;
            for (int i = 0; i < 100; i++) last = shared.size();
            System.out.println(last <= 100);
        }, "reader");
        writer.start();
        reader.start();
        writer.join();
        reader.join();
    }
}
