/** An interrupt is seen after what came before it. */
public class Interrupted {
    private static int reason;

    public static void main(String[] args) throws Exception {
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                System.out.println(reason);
            }
        }, "sleeper");
        sleeper.start();
        reason = 7;
        sleeper.interrupt();
        sleeper.join();
    }
}
