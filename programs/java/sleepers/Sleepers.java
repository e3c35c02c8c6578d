/**
 * Threads sleep one or two milliseconds at a time; main wakes them by interrupt now and then.
 * May vary: the order in which they wake, and which sleeps end by an interrupt.
 */
public class Sleepers {
    private static final StringBuilder wakes = new StringBuilder();

    static final class Sleeper extends Thread {
        private final int millis;
        private int slept;
        private int interrupted;
        private int pending;

        Sleeper(String name, int millis) {
            super(name);
            this.millis = millis;
        }

        @Override
        public void run() {
            for (int i = 0; i < 20; i++) {
                String how;
                try {
                    Thread.sleep(millis);
                    slept++;
                    how = getName();
                } catch (InterruptedException e) {
                    interrupted++;
                    how = getName().toUpperCase();
                }
                synchronized (wakes) {
                    wakes.append(how);
                }
                if (i % 5 == 4 && Thread.interrupted()) {
                    pending++;
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Sleeper[] sleepers = {new Sleeper("a", 1), new Sleeper("b", 2), new Sleeper("c", 2)};
        for (Sleeper sleeper : sleepers) {
            sleeper.start();
        }
        for (int i = 0; i < 12; i++) {
            Thread.sleep(1);
            sleepers[i % 3].interrupt();
        }
        int total = 0;
        for (Sleeper sleeper : sleepers) {
            sleeper.join();
            total += sleeper.slept + sleeper.interrupted;
            System.out.println(sleeper.getName() + " slept " + sleeper.slept + " interrupted " + sleeper.interrupted + " pending " + sleeper.pending);
        }
        System.out.println("wakes " + wakes);
        System.out.println("sleeps " + total);
    }
}
