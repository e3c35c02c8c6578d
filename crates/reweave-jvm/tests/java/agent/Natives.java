/** Native synchronized methods, found by their names or registered by hand, called by several threads. */
public class Natives {
    int value;

    static { System.load(System.getProperty("library")); }

    synchronized native int add(int amount);
    synchronized native int registered(int amount);
    static synchronized native String text(Object object, long number, double fraction);
    static synchronized native int failing();

    void run(int me) {
        for (int k = 0; k < 200; k++) {
            int first = add(me), second = registered(1000);
            if (k % 20 == 0) System.out.println(me + ": " + first + " " + second);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Natives natives = new Natives();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int me = i + 1;
            threads[i] = new Thread(() -> natives.run(me), "thread " + me);
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println(text(natives, 5, 2.5) + " " + natives.value);
        try {
            failing();
        } catch (IllegalStateException failure) {
            System.out.println(failure.getMessage() + ", free " + !Thread.holdsLock(Natives.class));
        }
    }
}
