import java.util.concurrent.locks.LockSupport;

/** A thread parks until another has filled in the answer; a volatile field says which wake-up was meant. */
public class Parking {
    private static volatile int stage;
    private static int answer;

    public static void main(String[] args) throws Exception {
        Thread sleeper = new Thread(() -> {
            while (stage == 0) LockSupport.park();
            System.out.println(answer);
        }, "sleeper");
        sleeper.start();
        answer = 42;
        stage = 1;
        LockSupport.unpark(sleeper);
        sleeper.join();
    }
}
