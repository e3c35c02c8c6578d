import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Lambdas, method references and streams whose call sites are linked by whichever thread comes first.
 * May vary: who that is, which must not show, and the order of the calls, which does.
 */
public class InitLambdas {
    static final AtomicInteger calls = new AtomicInteger();

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
            for (int round = 0; round < 30; round++) {
                work(10_000);
                int captured = round;
                IntUnaryOperator operator = switch ((round + number) % 5) {
                    case 0 -> value -> value + calls.incrementAndGet();
                    case 1 -> value -> value * captured + calls.incrementAndGet();
                    case 2 -> Math::abs;
                    case 3 -> calls::addAndGet;
                    default -> IntUnaryOperator.identity().andThen(value -> value ^ calls.incrementAndGet());
                };
                note(operator.applyAsInt(number));
                IntSupplier supplier = round % 2 == 0 ? calls::incrementAndGet : () -> captured + number;
                note(supplier.getAsInt());
                if (round % 3 == 0) {
                    note(IntStream.range(0, 5).map(i -> i * calls.incrementAndGet()).sum());
                    note(List.of("b", "aa", "c").stream().sorted(Comparator.comparing(String::length).thenComparing(Comparator.naturalOrder())).toList().hashCode());
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
    }
}
