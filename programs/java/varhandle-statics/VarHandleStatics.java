import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * All 31 access modes of a VarHandle on a static int, and some on statics of other types, none of them declared volatile.
 * May vary: the values each thread sees.
 */
public class VarHandleStatics {
    private static int count;
    private static long wide;
    private static Object last = "";
    private static short small;
    private static float real;

    private static final VarHandle COUNT = handle("count", int.class);
    private static final VarHandle WIDE = handle("wide", long.class);
    private static final VarHandle LAST = handle("last", Object.class);
    private static final VarHandle SMALL = handle("small", short.class);
    private static final VarHandle REAL = handle("real", float.class);

    private static VarHandle handle(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findStaticVarHandle(VarHandleStatics.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
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
            for (int round = 0; round < 620; round++) {
                work(1_000);
                int seen = (int) COUNT.getVolatile();
                count(round, seen);
                others(round);
                note(seen);
            }
        }

        private void count(int round, int seen) {
            switch (round % 31) {
                case 0 -> note((int) COUNT.get());
                case 1 -> COUNT.set(round);
                case 2 -> note((int) COUNT.getVolatile());
                case 3 -> COUNT.setVolatile(round * 2);
                case 4 -> note((int) COUNT.getOpaque());
                case 5 -> COUNT.setOpaque(round * 3);
                case 6 -> note((int) COUNT.getAcquire());
                case 7 -> COUNT.setRelease(round * 4);
                case 8 -> note(COUNT.compareAndSet(seen, seen + 1) ? 1 : 0);
                case 9 -> note((int) COUNT.compareAndExchange(seen, seen + 2));
                case 10 -> note((int) COUNT.compareAndExchangeAcquire(seen, seen + 3));
                case 11 -> note((int) COUNT.compareAndExchangeRelease(seen, seen + 4));
                case 12 -> note(COUNT.weakCompareAndSet(seen, seen + 5) ? 1 : 0);
                case 13 -> note(COUNT.weakCompareAndSetPlain(seen, seen + 6) ? 1 : 0);
                case 14 -> note(COUNT.weakCompareAndSetAcquire(seen, seen + 7) ? 1 : 0);
                case 15 -> note(COUNT.weakCompareAndSetRelease(seen, seen + 8) ? 1 : 0);
                case 16 -> note((int) COUNT.getAndSet(round));
                case 17 -> note((int) COUNT.getAndSetAcquire(round));
                case 18 -> note((int) COUNT.getAndSetRelease(round));
                case 19 -> note((int) COUNT.getAndAdd(9));
                case 20 -> note((int) COUNT.getAndAddAcquire(10));
                case 21 -> note((int) COUNT.getAndAddRelease(11));
                case 22 -> note((int) COUNT.getAndBitwiseOr(0x10));
                case 23 -> note((int) COUNT.getAndBitwiseOrAcquire(0x20));
                case 24 -> note((int) COUNT.getAndBitwiseOrRelease(0x40));
                case 25 -> note((int) COUNT.getAndBitwiseAnd(0xfff1));
                case 26 -> note((int) COUNT.getAndBitwiseAndAcquire(0xfff3));
                case 27 -> note((int) COUNT.getAndBitwiseAndRelease(0xfff7));
                case 28 -> note((int) COUNT.getAndBitwiseXor(number));
                case 29 -> note((int) COUNT.getAndBitwiseXorAcquire(number + 4));
                default -> note((int) COUNT.getAndBitwiseXorRelease(number + 8));
            }
        }

        private void others(int round) {
            switch (round % 5) {
                case 0 -> note((long) WIDE.getAndAddRelease(3L));
                case 1 -> note(LAST.getAndSet((Object) (getName() + round)).hashCode());
                case 2 -> note((short) SMALL.getAndBitwiseXor((short) (round & 0xff)));
                case 3 -> note((long) (float) REAL.getAndAdd(1.5f));
                default -> note(LAST.compareAndSet(LAST.getVolatile(), (Object) getName()) ? 1 : 0);
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
