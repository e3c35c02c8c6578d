/**
 * Threads die of exceptions: some by the default handler (stack traces on stderr), some with a handler of their own, main last.
 * May vary: which draws are unlucky, the order of the handlers' reports, and how the traces on stderr follow one another.
 */
public class Uncaught {
    private static final StringBuilder reports = new StringBuilder();
    private static int drawn;

    /** Holds everyone back until all are there. */
    static final class Gate {
        private boolean open;

        synchronized void open() {
            open = true;
            notifyAll();
        }

        synchronized void pass() {
            while (!open) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static final Gate gate = new Gate();

    static synchronized int draw() {
        return ++drawn;
    }

    static final class Gambler extends Thread {
        private int noise = 1;

        Gambler(int number) {
            super("gambler-" + number);
            if (number % 3 == 0) {
                setUncaughtExceptionHandler((thread, error) -> {
                    synchronized (reports) {
                        reports.append(thread.getName().substring(8)).append(error.getMessage()).append(' ');
                    }
                });
            }
        }

        @Override
        public void run() {
            gate.pass();
            for (int i = 0; i < 40; i++) {
                work(30_000);
                int number = draw();
                if (number % 17 == 0) {
                    throw new IllegalStateException("drew " + number);
                }
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
        Gambler[] gamblers = new Gambler[6];
        for (int i = 0; i < gamblers.length; i++) {
            gamblers[i] = new Gambler(i);
        }
        for (Gambler gambler : gamblers) {
            gambler.start();
        }
        gate.open();
        for (Gambler gambler : gamblers) {
            gambler.join();
        }
        System.out.println("drawn " + drawn);
        System.out.println("reports " + reports);
        throw new IllegalStateException("main ends like this, too");
    }
}
