import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * All 31 access modes of a VarHandle on the elements of an int array, and some on arrays of longs and strings.
 * May vary: the values each thread sees.
 */
public class VarHandleArrays {
    private static final VarHandle INT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle TEXT = MethodHandles.arrayElementVarHandle(String[].class);

    private static final int[] numbers = new int[4];
    private static final long[] wide = new long[4];
    private static final String[] texts = {"", "", "", ""};

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
            for (int round = 0; round < 620; round++) {
                work(1_000);
                int i = round / 31 % 2;
                int seen = (int) INT.getVolatile(numbers, i);
                numbers(i, round, seen);
                others(round % 4, round);
                note(seen);
            }
        }

        private void numbers(int i, int round, int seen) {
            switch (round % 31) {
                case 0 -> note((int) INT.get(numbers, i));
                case 1 -> INT.set(numbers, i, round);
                case 2 -> note((int) INT.getVolatile(numbers, i));
                case 3 -> INT.setVolatile(numbers, i, round * 2);
                case 4 -> note((int) INT.getOpaque(numbers, i));
                case 5 -> INT.setOpaque(numbers, i, round * 3);
                case 6 -> note((int) INT.getAcquire(numbers, i));
                case 7 -> INT.setRelease(numbers, i, round * 4);
                case 8 -> note(INT.compareAndSet(numbers, i, seen, seen + 1) ? 1 : 0);
                case 9 -> note((int) INT.compareAndExchange(numbers, i, seen, seen + 2));
                case 10 -> note((int) INT.compareAndExchangeAcquire(numbers, i, seen, seen + 3));
                case 11 -> note((int) INT.compareAndExchangeRelease(numbers, i, seen, seen + 4));
                case 12 -> note(INT.weakCompareAndSet(numbers, i, seen, seen + 5) ? 1 : 0);
                case 13 -> note(INT.weakCompareAndSetPlain(numbers, i, seen, seen + 6) ? 1 : 0);
                case 14 -> note(INT.weakCompareAndSetAcquire(numbers, i, seen, seen + 7) ? 1 : 0);
                case 15 -> note(INT.weakCompareAndSetRelease(numbers, i, seen, seen + 8) ? 1 : 0);
                case 16 -> note((int) INT.getAndSet(numbers, i, round));
                case 17 -> note((int) INT.getAndSetAcquire(numbers, i, round));
                case 18 -> note((int) INT.getAndSetRelease(numbers, i, round));
                case 19 -> note((int) INT.getAndAdd(numbers, i, 9));
                case 20 -> note((int) INT.getAndAddAcquire(numbers, i, 10));
                case 21 -> note((int) INT.getAndAddRelease(numbers, i, 11));
                case 22 -> note((int) INT.getAndBitwiseOr(numbers, i, 0x10));
                case 23 -> note((int) INT.getAndBitwiseOrAcquire(numbers, i, 0x20));
                case 24 -> note((int) INT.getAndBitwiseOrRelease(numbers, i, 0x40));
                case 25 -> note((int) INT.getAndBitwiseAnd(numbers, i, 0xfff1));
                case 26 -> note((int) INT.getAndBitwiseAndAcquire(numbers, i, 0xfff3));
                case 27 -> note((int) INT.getAndBitwiseAndRelease(numbers, i, 0xfff7));
                case 28 -> note((int) INT.getAndBitwiseXor(numbers, i, number));
                case 29 -> note((int) INT.getAndBitwiseXorAcquire(numbers, i, number + 4));
                default -> note((int) INT.getAndBitwiseXorRelease(numbers, i, number + 8));
            }
        }

        private void others(int i, int round) {
            switch (round % 5) {
                case 0 -> note((long) LONG.getAndAdd(wide, i, 3L));
                case 1 -> note(((String) TEXT.getAndSet(texts, i, getName() + round)).hashCode());
                case 2 -> note(((String) TEXT.getAcquire(texts, i)).hashCode());
                case 3 -> LONG.setRelease(wide, i, (long) round);
                default -> note(TEXT.compareAndSet(texts, i, (String) TEXT.getVolatile(texts, i), getName()) ? 1 : 0);
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
