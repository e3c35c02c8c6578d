/**
 * One thread waits; a second notifies it while a third interrupts it.
 * May vary: whether each wait ends by the notify or by the interrupt, and where an interrupt that came too late is found.
 */
public class InterruptWaiter {
    private static final int ROUNDS = 24;

    static final class Meeting {
        private int round;
        private int done;

        synchronized void open(int number) {
            round = number;
            done = 0;
            notifyAll();
        }

        synchronized void awaitRound(int number) throws InterruptedException {
            while (round < number) {
                wait();
            }
        }

        synchronized void done() {
            done++;
            notifyAll();
        }

        /** Waits until both others are through; returns whether the interrupt came meanwhile. */
        synchronized boolean awaitBoth() {
            boolean interrupted = false;
            while (done < 2) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return interrupted;
        }
    }

    private static final Meeting meeting = new Meeting();
    private static final Object call = new Object();

    static abstract class Caller extends Thread {
        private int noise = 1;

        Caller(String name) {
            super(name);
        }

        abstract void call();

        @Override
        public void run() {
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    meeting.awaitRound(round);
                    work(2000);
                    call();
                    meeting.done();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
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
        Thread waiter = Thread.currentThread();
        Caller notifier = new Caller("notifier") {
            @Override
            void call() {
                synchronized (call) {
                    call.notify();
                }
            }
        };
        Caller interrupter = new Caller("interrupter") {
            @Override
            void call() {
                waiter.interrupt();
            }
        };
        notifier.start();
        interrupter.start();
        StringBuilder outcome = new StringBuilder();
        for (int round = 1; round <= ROUNDS; round++) {
            synchronized (call) {
                meeting.open(round);
                try {
                    call.wait();
                    outcome.append(waiter.isInterrupted() ? 'N' : 'n');
                } catch (InterruptedException e) {
                    outcome.append('i');
                }
            }
            boolean whileMeeting = meeting.awaitBoth();
            boolean after = Thread.interrupted();
            outcome.append(whileMeeting ? "w" : after ? "a" : "");
        }
        notifier.join();
        interrupter.join();
        System.out.println("outcome " + outcome);
        System.out.println("interrupts " + outcome.toString().replaceAll("[nN]", "").length());
    }
}
