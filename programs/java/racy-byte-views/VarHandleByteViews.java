import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Ints and longs seen through VarHandles in a byte array (get and set only) and in a direct buffer (all access modes).
 * May vary: the values each thread sees.
 */
public class VarHandleByteViews {
    private static final VarHandle IN_BUFFER = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle IN_ARRAY = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle WIDE = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final ByteBuffer buffer = ByteBuffer.allocateDirect(64);
    private static final byte[] array = new byte[64];

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
                int seen = (int) IN_BUFFER.getVolatile(buffer, 8);
                inBuffer(round, seen);
                others(round);
                note(seen);
            }
        }

        private void inBuffer(int round, int seen) {
            switch (round % 31) {
                case 0 -> note((int) IN_BUFFER.get(buffer, 8));
                case 1 -> IN_BUFFER.set(buffer, 8, round);
                case 2 -> note((int) IN_BUFFER.getVolatile(buffer, 8));
                case 3 -> IN_BUFFER.setVolatile(buffer, 8, round * 2);
                case 4 -> note((int) IN_BUFFER.getOpaque(buffer, 8));
                case 5 -> IN_BUFFER.setOpaque(buffer, 8, round * 3);
                case 6 -> note((int) IN_BUFFER.getAcquire(buffer, 8));
                case 7 -> IN_BUFFER.setRelease(buffer, 8, round * 4);
                case 8 -> note(IN_BUFFER.compareAndSet(buffer, 8, seen, seen + 1) ? 1 : 0);
                case 9 -> note((int) IN_BUFFER.compareAndExchange(buffer, 8, seen, seen + 2));
                case 10 -> note((int) IN_BUFFER.compareAndExchangeAcquire(buffer, 8, seen, seen + 3));
                case 11 -> note((int) IN_BUFFER.compareAndExchangeRelease(buffer, 8, seen, seen + 4));
                case 12 -> note(IN_BUFFER.weakCompareAndSet(buffer, 8, seen, seen + 5) ? 1 : 0);
                case 13 -> note(IN_BUFFER.weakCompareAndSetPlain(buffer, 8, seen, seen + 6) ? 1 : 0);
                case 14 -> note(IN_BUFFER.weakCompareAndSetAcquire(buffer, 8, seen, seen + 7) ? 1 : 0);
                case 15 -> note(IN_BUFFER.weakCompareAndSetRelease(buffer, 8, seen, seen + 8) ? 1 : 0);
                case 16 -> note((int) IN_BUFFER.getAndSet(buffer, 8, round));
                case 17 -> note((int) IN_BUFFER.getAndSetAcquire(buffer, 8, round));
                case 18 -> note((int) IN_BUFFER.getAndSetRelease(buffer, 8, round));
                case 19 -> note((int) IN_BUFFER.getAndAdd(buffer, 8, 9));
                case 20 -> note((int) IN_BUFFER.getAndAddAcquire(buffer, 8, 10));
                case 21 -> note((int) IN_BUFFER.getAndAddRelease(buffer, 8, 11));
                case 22 -> note((int) IN_BUFFER.getAndBitwiseOr(buffer, 8, 0x10));
                case 23 -> note((int) IN_BUFFER.getAndBitwiseOrAcquire(buffer, 8, 0x20));
                case 24 -> note((int) IN_BUFFER.getAndBitwiseOrRelease(buffer, 8, 0x40));
                case 25 -> note((int) IN_BUFFER.getAndBitwiseAnd(buffer, 8, 0xfff1));
                case 26 -> note((int) IN_BUFFER.getAndBitwiseAndAcquire(buffer, 8, 0xfff3));
                case 27 -> note((int) IN_BUFFER.getAndBitwiseAndRelease(buffer, 8, 0xfff7));
                case 28 -> note((int) IN_BUFFER.getAndBitwiseXor(buffer, 8, number));
                case 29 -> note((int) IN_BUFFER.getAndBitwiseXorAcquire(buffer, 8, number + 4));
                default -> note((int) IN_BUFFER.getAndBitwiseXorRelease(buffer, 8, number + 8));
            }
        }

        private void others(int round) {
            switch (round % 4) {
                case 0 -> note((long) WIDE.getAndAdd(buffer, 32, 5L));
                case 1 -> note((int) IN_ARRAY.get(array, 12));
                case 2 -> IN_ARRAY.set(array, 12, round * 4 + number);
                default -> WIDE.setRelease(buffer, 32, (long) round);
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
