import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * All 31 access modes of a VarHandle on an int field, and some on fields of other types, none of them declared volatile.
 * May vary: the values each thread sees.
 */
public class VarHandleFields {
    static final class Cell {
        private static final VarHandle COUNT = handle("count", int.class);
        private static final VarHandle WIDE = handle("wide", long.class);
        private static final VarHandle TEXT = handle("text", String.class);
        private static final VarHandle SMALL = handle("small", byte.class);
        private static final VarHandle YES = handle("yes", boolean.class);
        private static final VarHandle REAL = handle("real", double.class);

        private int count;
        private long wide;
        private String text = "";
        private byte small;
        private boolean yes;
        private double real;

        private static VarHandle handle(String name, Class<?> type) {
            try {
                return MethodHandles.lookup().findVarHandle(Cell.class, name, type);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final Cell cell = new Cell();

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
                int seen = (int) Cell.COUNT.getVolatile(cell);
                count(round, seen);
                others(round);
                note(seen);
            }
        }

        private void count(int round, int seen) {
            switch (round % 31) {
                case 0 -> note((int) Cell.COUNT.get(cell));
                case 1 -> Cell.COUNT.set(cell, round);
                case 2 -> note((int) Cell.COUNT.getVolatile(cell));
                case 3 -> Cell.COUNT.setVolatile(cell, round * 2);
                case 4 -> note((int) Cell.COUNT.getOpaque(cell));
                case 5 -> Cell.COUNT.setOpaque(cell, round * 3);
                case 6 -> note((int) Cell.COUNT.getAcquire(cell));
                case 7 -> Cell.COUNT.setRelease(cell, round * 4);
                case 8 -> note(Cell.COUNT.compareAndSet(cell, seen, seen + 1) ? 1 : 0);
                case 9 -> note((int) Cell.COUNT.compareAndExchange(cell, seen, seen + 2));
                case 10 -> note((int) Cell.COUNT.compareAndExchangeAcquire(cell, seen, seen + 3));
                case 11 -> note((int) Cell.COUNT.compareAndExchangeRelease(cell, seen, seen + 4));
                case 12 -> note(Cell.COUNT.weakCompareAndSet(cell, seen, seen + 5) ? 1 : 0);
                case 13 -> note(Cell.COUNT.weakCompareAndSetPlain(cell, seen, seen + 6) ? 1 : 0);
                case 14 -> note(Cell.COUNT.weakCompareAndSetAcquire(cell, seen, seen + 7) ? 1 : 0);
                case 15 -> note(Cell.COUNT.weakCompareAndSetRelease(cell, seen, seen + 8) ? 1 : 0);
                case 16 -> note((int) Cell.COUNT.getAndSet(cell, round));
                case 17 -> note((int) Cell.COUNT.getAndSetAcquire(cell, round));
                case 18 -> note((int) Cell.COUNT.getAndSetRelease(cell, round));
                case 19 -> note((int) Cell.COUNT.getAndAdd(cell, 9));
                case 20 -> note((int) Cell.COUNT.getAndAddAcquire(cell, 10));
                case 21 -> note((int) Cell.COUNT.getAndAddRelease(cell, 11));
                case 22 -> note((int) Cell.COUNT.getAndBitwiseOr(cell, 0x10));
                case 23 -> note((int) Cell.COUNT.getAndBitwiseOrAcquire(cell, 0x20));
                case 24 -> note((int) Cell.COUNT.getAndBitwiseOrRelease(cell, 0x40));
                case 25 -> note((int) Cell.COUNT.getAndBitwiseAnd(cell, 0xfff1));
                case 26 -> note((int) Cell.COUNT.getAndBitwiseAndAcquire(cell, 0xfff3));
                case 27 -> note((int) Cell.COUNT.getAndBitwiseAndRelease(cell, 0xfff7));
                case 28 -> note((int) Cell.COUNT.getAndBitwiseXor(cell, number));
                case 29 -> note((int) Cell.COUNT.getAndBitwiseXorAcquire(cell, number + 4));
                default -> note((int) Cell.COUNT.getAndBitwiseXorRelease(cell, number + 8));
            }
        }

        private void others(int round) {
            switch (round % 6) {
                case 0 -> note((long) Cell.WIDE.getAndAdd(cell, 3L));
                case 1 -> note(((String) Cell.TEXT.getAndSet(cell, getName() + round)).hashCode());
                case 2 -> note((byte) Cell.SMALL.getAndAdd(cell, (byte) 1));
                case 3 -> note((boolean) Cell.YES.getAndSet(cell, number == 1) ? 1 : 0);
                case 4 -> note((long) (double) Cell.REAL.getAndAdd(cell, 0.5));
                default -> note(Cell.TEXT.compareAndSet(cell, (String) Cell.TEXT.getAcquire(cell), getName()) ? 1 : 0);
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
