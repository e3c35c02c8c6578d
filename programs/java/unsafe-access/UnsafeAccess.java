import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * sun.misc.Unsafe on fields, array elements and memory outside the heap.
 * May vary: the values each thread sees.
 */
public class UnsafeAccess {
    static final class Cell {
        private int count;
        private long wide;
        private Object last = "";
    }

    private static final Unsafe unsafe = unsafe();
    private static final Cell cell = new Cell();
    private static final int[] array = new int[4];
    private static final long COUNT = offset("count");
    private static final long WIDE = offset("wide");
    private static final long LAST = offset("last");
    private static final long ELEMENT = Unsafe.ARRAY_INT_BASE_OFFSET + 2L * Unsafe.ARRAY_INT_INDEX_SCALE;
    private static final long memory = zeroed(16);

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long zeroed(long bytes) {
        long address = unsafe.allocateMemory(bytes);
        unsafe.setMemory(address, bytes, (byte) 0);
        return address;
    }

    private static long offset(String name) {
        try {
            return unsafe.objectFieldOffset(Cell.class.getDeclaredField(name));
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
            for (int round = 0; round < 560; round++) {
                work(1_000);
                int seen = unsafe.getIntVolatile(cell, COUNT);
                switch (round % 14) {
                    case 0 -> note(unsafe.getAndAddInt(cell, COUNT, 3));
                    case 1 -> note(unsafe.compareAndSwapInt(cell, COUNT, seen, seen + 1) ? 1 : 0);
                    case 2 -> unsafe.putIntVolatile(cell, COUNT, round);
                    case 3 -> unsafe.putOrderedInt(cell, COUNT, round * 2);
                    case 4 -> note(unsafe.getAndSetLong(cell, WIDE, round));
                    case 5 -> note(unsafe.compareAndSwapLong(cell, WIDE, unsafe.getLongVolatile(cell, WIDE), number) ? 1 : 0);
                    case 6 -> note(unsafe.getAndSetObject(cell, LAST, getName() + round).hashCode());
                    case 7 -> note(unsafe.compareAndSwapObject(cell, LAST, unsafe.getObjectVolatile(cell, LAST), getName()) ? 1 : 0);
                    case 8 -> unsafe.putOrderedObject(cell, LAST, getName());
                    case 9 -> note(unsafe.getAndAddInt(array, ELEMENT, number + 1));
                    case 10 -> note(unsafe.getInt(array, ELEMENT));
                    case 11 -> unsafe.putInt(array, ELEMENT, round);
                    case 12 -> note(unsafe.getAndAddLong(null, memory, 1));
                    default -> note(unsafe.compareAndSwapLong(null, memory + 8, unsafe.getLongVolatile(null, memory + 8), round) ? 1 : 0);
                }
                note(seen);
                note(unsafe.getLongVolatile(null, memory));
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
