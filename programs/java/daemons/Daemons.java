/**
 * Two daemon threads print for as long as the virtual machine lives; main works for a while and returns.
 * May vary: how the lines mix, and how far the daemons came before the end.
 */
public class Daemons {
    private static int lines;

    static synchronized int nextLine() {
        return ++lines;
    }

    static final class Ticker extends Thread {
        private int noise = 1;

        Ticker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (true) {
                work(40_000);
                System.out.println(getName() + " " + nextLine());
            }
        }

        private void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        new Ticker("tick").start();
        new Ticker("tock").start();
        int seen = 0;
        while (seen < 40) {
            Thread.sleep(1);
            synchronized (Daemons.class) {
                seen = lines;
            }
        }
        System.out.println("main saw " + seen);
    }
}
