import java.util.EnumMap;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Enums with state and bodies, switched over (a synthetic class each), kept in EnumMaps and EnumSets, all first used by racing threads.
 * May vary: which thread initialises what, and the numbers that are given out on the way.
 */
public class InitEnums {
    static final AtomicInteger numbers = new AtomicInteger();

    enum Colour {
        RED, GREEN, BLUE;

        final int number = numbers.incrementAndGet();
        final String maker = Thread.currentThread().getName();
    }

    enum Operation {
        ADD {
            @Override
            int apply(int a, int b) {
                return a + b;
            }
        },
        MULTIPLY {
            @Override
            int apply(int a, int b) {
                return a * b + Colour.RED.number;
            }
        };

        final int number = numbers.incrementAndGet();
        final String maker = Thread.currentThread().getName();

        abstract int apply(int a, int b);
    }

    enum Size {
        SMALL, LARGE;

        static final EnumSet<Size> all = EnumSet.allOf(Size.class);
        final int number = numbers.addAndGet(10);
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
                switch ((round + number) % 4) {
                    case 0 -> note(Operation.values()[round % 2].apply(round, number));
                    case 1 -> note(switch (Colour.valueOf("GREEN")) {
                        case RED -> 1;
                        case GREEN -> Colour.GREEN.number;
                        case BLUE -> 3;
                    });
                    case 2 -> {
                        EnumMap<Size, Integer> map = new EnumMap<>(Size.class);
                        map.put(Size.LARGE, Size.all.size());
                        note(map.hashCode() == 0 ? 1 : map.get(Size.LARGE) + Size.SMALL.number);
                    }
                    default -> note(numbers.get());
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
        for (Colour colour : Colour.values()) {
            System.out.println(colour + " " + colour.number + " by " + colour.maker);
        }
        System.out.println("operations by " + Operation.ADD.maker + " " + Operation.ADD.number + " size " + Size.LARGE.number);
    }
}
