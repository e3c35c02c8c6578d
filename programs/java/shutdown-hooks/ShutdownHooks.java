/**
 * Three shutdown hooks share a monitor and print, while a daemon thread still runs; main ends by returning.
 * May vary: how the hooks' turns and the daemon's lines mix.
 */
public class ShutdownHooks {
    private static final StringBuilder turns = new StringBuilder();
    private static int finished;

    static final class Hook extends Thread {
        private int noise;

        Hook(String name, int seed) {
            super(name);
            noise = seed;
        }

        @Override
        public void run() {
            for (int i = 0; i < 60; i++) {
                work(20_000);
                synchronized (turns) {
                    turns.append(getName());
                }
                Thread.yield();
                if (i % 20 == 19) {
                    System.out.println("hook " + getName() + " at " + i);
                }
            }
            synchronized (turns) {
                if (++finished == 3) {
                    System.out.println("turns " + turns.substring(60, 120) + " hash " + Integer.toHexString(turns.toString().hashCode()));
                    System.out.println("hooks " + finished + " turns " + turns.length());
                }
            }
        }

        void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) {
        Hook[] hooks = {new Hook("a", 1), new Hook("b", 2), new Hook("c", 3)};
        for (Hook hook : hooks) {
            Runtime.getRuntime().addShutdownHook(hook);
        }
        Hook extra = new Hook("never", 4);
        Runtime.getRuntime().addShutdownHook(extra);
        System.out.println("removed " + Runtime.getRuntime().removeShutdownHook(extra));
        Thread daemon = new Thread(() -> {
            Hook work = new Hook("work", 5);
            for (int i = 0; i < 10; i++) {
                work.work(30_000);
                System.out.println("daemon " + i);
            }
        }, "daemon");
        daemon.setDaemon(true);
        daemon.start();
        System.out.println("main returns");
    }
}
