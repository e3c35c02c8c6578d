/**
 * Three producers and two consumers share a buffer of four places, with wait and notifyAll.
 * May vary: the order of the items, who took which, and how often someone found it full or empty. The sum may not.
 */
public class BoundedBuffer {
    private static final int ITEMS = 120;
    private final int[] places = new int[4];
    private int first;
    private int used;
    private int foundFull;
    private int foundEmpty;

    synchronized void put(int item) throws InterruptedException {
        while (used == places.length) {
            foundFull++;
            wait();
        }
        places[(first + used++) % places.length] = item;
        notifyAll();
    }

    synchronized int take() throws InterruptedException {
        while (used == 0) {
            foundEmpty++;
            wait();
        }
        int item = places[first];
        first = (first + 1) % places.length;
        used--;
        notifyAll();
        return item;
    }

    /** Puts `ITEMS` items, or takes its share of them; what it took is read only after it ended. */
    static final class Party extends Thread {
        private final BoundedBuffer buffer;
        private final int number;
        private final boolean produces;
        private final StringBuilder taken = new StringBuilder();
        private long sum;
        private int noise;

        Party(BoundedBuffer buffer, int number, boolean produces) {
            super((produces ? "producer-" : "consumer-") + number);
            this.buffer = buffer;
            this.number = number;
            this.produces = produces;
            noise = number;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; produces ? i < ITEMS : i < ITEMS * 3 / 2; i++) {
                    work(8000);
                    if (produces) {
                        buffer.put(number * 1000 + i);
                    } else {
                        int item = buffer.take();
                        sum += item;
                        taken.append((char) ('a' + item / 1000));
                    }
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
        BoundedBuffer buffer = new BoundedBuffer();
        Party[] parties = new Party[5];
        for (int i = 0; i < parties.length; i++) {
            parties[i] = new Party(buffer, i, i < 3);
        }
        for (Party party : parties) {
            party.start();
        }
        long sum = 0;
        for (Party party : parties) {
            party.join();
            sum += party.sum;
        }
        System.out.println("sum " + sum);
        for (Party party : parties) {
            if (!party.produces) {
                System.out.println(party.getName() + " " + party.taken.substring(60, 120) + " hash " + Integer.toHexString(party.taken.toString().hashCode()));
            }
        }
        System.out.println("full " + buffer.foundFull + " empty " + buffer.foundEmpty);
    }
}
