/** A plain flag says that the answer is there; it is looked at once, not waited for. */
public class BrokenFlag {
    private boolean ready;
    private int answer;

    public static void main(String[] args) throws Exception {
        BrokenFlag shared = new BrokenFlag();
        Thread writer = new Thread(() -> {
            shared.answer = 42; // race: BrokenFlag.answer
            shared.ready = true; // race: BrokenFlag.ready
        }, "writer");
        Thread reader = new Thread(() -> {
            boolean ready = shared.ready; // race: BrokenFlag.ready
            int answer = shared.answer; // race: BrokenFlag.answer
            System.out.println(ready + " " + answer);
        }, "reader");
        writer.start();
        reader.start();
        writer.join();
        reader.join();
    }
}
