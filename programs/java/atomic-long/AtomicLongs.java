import java.util.concurrent.atomic.AtomicLong;

/**
 * Every method of AtomicLong, by three threads on one number.
 * May vary: the values each of them sees.
 */
public class AtomicLongs {
    private static final AtomicLong shared = new AtomicLong();

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
            for (int round = 0; round < 560; round++) {
                work(1_500);
                long seen = shared.get();
                switch (round % 28) {
                    case 0 -> note(shared.incrementAndGet());
                    case 1 -> note(shared.decrementAndGet());
                    case 2 -> note(shared.addAndGet(7));
                    case 3 -> note(shared.getAndIncrement());
                    case 4 -> note(shared.getAndDecrement());
                    case 5 -> note(shared.getAndAdd(-3));
                    case 6 -> note(shared.getAndSet(round));
                    case 7 -> note(shared.updateAndGet(value -> value * 3 + 1));
                    case 8 -> note(shared.getAndUpdate(value -> value ^ 5));
                    case 9 -> note(shared.accumulateAndGet(number, (a, b) -> a * 2 + b));
                    case 10 -> note(shared.getAndAccumulate(number, (a, b) -> a - b));
                    case 11 -> note(shared.compareAndSet(seen, seen + 11) ? 1 : 0);
                    case 12 -> note(shared.weakCompareAndSetPlain(seen, seen + 12) ? 1 : 0);
                    case 13 -> note(shared.weakCompareAndSetVolatile(seen, seen + 13) ? 1 : 0);
                    case 14 -> note(shared.weakCompareAndSetAcquire(seen, seen + 14) ? 1 : 0);
                    case 15 -> note(shared.weakCompareAndSetRelease(seen, seen + 15) ? 1 : 0);
                    case 16 -> note(shared.compareAndExchange(seen, seen + 16));
                    case 17 -> note(shared.compareAndExchangeAcquire(seen, seen + 17));
                    case 18 -> note(shared.compareAndExchangeRelease(seen, seen + 18));
                    case 19 -> note(shared.getPlain());
                    case 20 -> note(shared.getOpaque());
                    case 21 -> note(shared.getAcquire());
                    case 22 -> shared.set(round * 2 + number);
                    case 23 -> shared.setPlain(round * 3 + number);
                    case 24 -> shared.setOpaque(round * 4 + number);
                    case 25 -> shared.setRelease(round * 5 + number);
                    case 26 -> shared.lazySet(round * 6 + number);
                    default -> note(shared.intValue() + (long) shared.doubleValue());
                }
                note(seen);
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
        Worker[] workers = new Worker[3];
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
