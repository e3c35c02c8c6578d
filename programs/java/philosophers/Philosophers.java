/**
 * Five dining philosophers, made free of deadlock by taking the lower fork first.
 * May vary: the order of the meals, and from whom each fork was taken over.
 */
public class Philosophers {
    private static final int SEATS = 5;
    private static final int MEALS = 80;

    static final class Fork {
        private int lastUser = -1;
        private int handOvers;

        /** Called with this fork held. */
        void usedBy(int seat) {
            if (lastUser != seat) {
                handOvers++;
            }
            lastUser = seat;
        }
    }

    private static final Fork[] forks = new Fork[SEATS];
    private static final StringBuffer meals = new StringBuffer();

    static final class Philosopher extends Thread {
        private final int seat;
        private int eaten;
        private int noise;

        Philosopher(int seat) {
            super("philosopher-" + seat);
            this.seat = seat;
            noise = seat;
        }

        @Override
        public void run() {
            Fork lower = forks[Math.min(seat, (seat + 1) % SEATS)];
            Fork higher = forks[Math.max(seat, (seat + 1) % SEATS)];
            for (int i = 0; i < MEALS; i++) {
                work(10_000);
                synchronized (lower) {
                    synchronized (higher) {
                        lower.usedBy(seat);
                        higher.usedBy(seat);
                        work(2000);
                        eaten++;
                        meals.append(seat);
                    }
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
        for (int i = 0; i < SEATS; i++) {
            forks[i] = new Fork();
        }
        Philosopher[] philosophers = new Philosopher[SEATS];
        for (int i = 0; i < SEATS; i++) {
            philosophers[i] = new Philosopher(i);
            philosophers[i].start();
        }
        int eaten = 0;
        for (Philosopher philosopher : philosophers) {
            philosopher.join();
            eaten += philosopher.eaten;
        }
        StringBuilder handOvers = new StringBuilder();
        for (Fork fork : forks) {
            handOvers.append(' ').append(fork.handOvers);
        }
        System.out.println("meals " + eaten);
        System.out.println("hand-overs" + handOvers);
        System.out.println("order " + meals.substring(150, 210) + " hash " + Integer.toHexString(meals.toString().hashCode()));
    }
}
