/** A volatile flag says that the answer is there, which then may be read. */
public class VolatileFlag {
    private volatile boolean ready;
    private int answer;

    public static void main(String[] args) throws Exception {
        VolatileFlag shared = new VolatileFlag();
        Thread writer = new Thread(() -> {
            shared.answer = 42;
            shared.ready = true;
        }, "writer");
        Thread reader = new Thread(() -> {
            if (shared.ready) System.out.println(shared.answer);
            else System.out.println("not yet");
        }, "reader");
        writer.start();
        reader.start();
        writer.join();
        reader.join();
        System.out.println(shared.answer);
    }
}
