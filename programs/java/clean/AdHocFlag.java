/** A loop waits for a plain flag: synchronization of its own making. With --no-adhoc the flag and the answer are races. */
public class AdHocFlag {
    private boolean ready;
    private int answer;
    /** Whether the reader waits already. */
    private volatile boolean waiting;

    private int await() {
        int rounds = 0;
        while (!ready) { // race without adhoc: AdHocFlag.ready
            if (++rounds == 100) waiting = true;
            if (rounds % 64 == 0) Thread.yield();
        }
        return answer; // race without adhoc: AdHocFlag.answer
    }

    public static void main(String[] args) throws Exception {
        AdHocFlag shared = new AdHocFlag();
        Thread reader = new Thread(() -> System.out.println(shared.await()), "reader");
        reader.start();
        while (!shared.waiting) Thread.sleep(1);
        Thread writer = new Thread(() -> {
            for (int i = 0; i < 1000; i++) Thread.onSpinWait();
            shared.answer = 42; // race without adhoc: AdHocFlag.answer
            shared.ready = true; // race without adhoc: AdHocFlag.ready
        }, "writer");
        writer.start();
        writer.join();
        reader.join();
    }
}
