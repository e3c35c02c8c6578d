import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lazy holders: the first thread that asks creates the singleton, in a static initialiser that takes a number.
 * May vary: who creates which, and the numbers.
 */
public class InitHolders {
    static final AtomicInteger numbers = new AtomicInteger();

    record Made(String name, String maker, int number) {
        static Made now(String name) {
            return new Made(name, Thread.currentThread().getName(), numbers.incrementAndGet());
        }
    }

    static final class First {
        static final Made made = Made.now("first");
    }

    static final class Second {
        static final Made made = Made.now("second");
    }

    /** Needs the other two. */
    static final class Third {
        static final int before = First.made.number + Second.made.number;
        static final Made made = Made.now("third" + before);
    }

    interface Fourth {
        Made made = Made.now("fourth");
    }

    static class Fifth implements Fourth {
        static final Made own = Made.now("fifth");
    }

    static final class Sixth extends Fifth {
        static final Made made = Made.now("sixth");
    }

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 12; round++) {
                work(15_000);
                Made made = switch ((round + number) % 6) {
                    case 0 -> First.made;
                    case 1 -> Second.made;
                    case 2 -> Third.made;
                    case 3 -> Fourth.made;
                    case 4 -> Fifth.own;
                    default -> Sixth.made;
                };
                note(made.number);
                if (round == 11) {
                    numbers.incrementAndGet();
                }
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
        System.out.println(First.made + " " + Second.made + " " + Third.made);
        System.out.println(Fourth.made + " " + Fifth.own + " " + Sixth.made);
    }
}
