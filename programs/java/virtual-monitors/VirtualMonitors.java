/**
 * A hundred virtual threads wait for turns on one monitor, with wait, timed wait, notify and notifyAll.
 * May vary: the order in which they come, and how often they wake in vain.
 */
public class VirtualMonitors {
    static final class Bench {
        private final StringBuilder order = new StringBuilder();
        private int free = 3;
        private int vain;

        synchronized void sit(int number) throws InterruptedException {
            while (free == 0) {
                if (number % 2 == 0) {
                    wait();
                } else {
                    wait(5);
                }
                vain += free == 0 ? 1 : 0;
            }
            free--;
            order.append(number).append(' ');
        }

        synchronized void leave(int number) {
            free++;
            if (number % 3 == 0) {
                notifyAll();
            } else {
                notify();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Bench bench = new Bench();
        Thread[] guests = new Thread[100];
        for (int i = 0; i < guests.length; i++) {
            int number = i;
            guests[i] = Thread.ofVirtual().unstarted(() -> {
                try {
                    for (int visit = 0; visit < 3; visit++) {
                        bench.sit(number);
                        Thread.yield();
                        bench.leave(number);
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        for (Thread guest : guests) {
            guest.start();
        }
        for (Thread guest : guests) {
            guest.join();
        }
        System.out.println("order " + Integer.toHexString(bench.order.toString().hashCode()) + " vain " + bench.vain);
        System.out.println("free " + bench.free + " visits " + bench.order.toString().split(" ").length);
    }
}
