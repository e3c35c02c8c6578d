import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Four threads meet in pairs and exchange; some give up after a while.
 * May vary: who meets whom, and who gives up.
 */
public class Exchangers {
    private static final Exchanger<String> exchanger = new Exchanger<>();

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;
        private final StringBuilder met = new StringBuilder();

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            try {
                for (int round = 0; round < 60; round++) {
                    work(3_000);
                    try {
                        String got = exchanger.exchange(getName() + round, 1, TimeUnit.MILLISECONDS);
                        note(got.hashCode());
                        met.append(got.charAt(0));
                    } catch (TimeoutException e) {
                        note(-1);
                        met.append('-');
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void note(long value) {
            hash = hash * 31 + value;
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

    public static void main(String[] args) throws Exception {
        Worker[] workers = new Worker[4];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash));
        }
        for (Worker worker : workers) {
            System.out.println(worker.getName() + " met " + worker.met);
        }
    }
}
