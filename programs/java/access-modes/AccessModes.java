import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Each access mode of a VarHandle in a phase of its own, used often by two threads at once: if just one mode were not ordered, its phase would show it.
 * Reads of one mode meet volatile writes, writes of one mode meet volatile reads, and what reads and writes at once meets itself.
 * May vary: the values each thread sees.
 */
public class AccessModes {
    private static final int ROUNDS = 400;
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(Cell.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static final class Cell {
        private int count;
    }

    /** One access in some round; what it saw. */
    interface Step {
        int take(Cell cell, int round);
    }

    record Phase(String name, Step left, Step right) {}

    private static final List<Phase> phases = new ArrayList<>();

    private static void reads(String name, Step read) {
        phases.add(new Phase(name, read, (cell, round) -> {
            COUNT.setVolatile(cell, round);
            return round;
        }));
    }

    private static void writes(String name, Step write) {
        phases.add(new Phase(name, write, (cell, round) -> (int) COUNT.getVolatile(cell)));
    }

    private static void both(String name, Step step) {
        phases.add(new Phase(name, step, step));
    }

    private static int seen(Cell cell) {
        return (int) COUNT.getVolatile(cell);
    }

    static {
        reads("get", (cell, round) -> (int) COUNT.get(cell));
        reads("getVolatile", (cell, round) -> (int) COUNT.getVolatile(cell));
        reads("getOpaque", (cell, round) -> (int) COUNT.getOpaque(cell));
        reads("getAcquire", (cell, round) -> (int) COUNT.getAcquire(cell));
        writes("set", (cell, round) -> {
            COUNT.set(cell, round);
            return 0;
        });
        writes("setVolatile", (cell, round) -> {
            COUNT.setVolatile(cell, round);
            return 0;
        });
        writes("setOpaque", (cell, round) -> {
            COUNT.setOpaque(cell, round);
            return 0;
        });
        writes("setRelease", (cell, round) -> {
            COUNT.setRelease(cell, round);
            return 0;
        });
        both("compareAndSet", (cell, round) -> COUNT.compareAndSet(cell, round, round + 1) ? 1 : 0);
        both("weakCompareAndSet", (cell, round) -> COUNT.weakCompareAndSet(cell, round, round + 1) ? 1 : 0);
        both("weakCompareAndSetPlain", (cell, round) -> COUNT.weakCompareAndSetPlain(cell, round, round + 1) ? 1 : 0);
        both("weakCompareAndSetAcquire", (cell, round) -> COUNT.weakCompareAndSetAcquire(cell, round, round + 1) ? 1 : 0);
        both("weakCompareAndSetRelease", (cell, round) -> COUNT.weakCompareAndSetRelease(cell, round, round + 1) ? 1 : 0);
        both("compareAndExchange", (cell, round) -> (int) COUNT.compareAndExchange(cell, seen(cell), round));
        both("compareAndExchangeAcquire", (cell, round) -> (int) COUNT.compareAndExchangeAcquire(cell, seen(cell), round));
        both("compareAndExchangeRelease", (cell, round) -> (int) COUNT.compareAndExchangeRelease(cell, seen(cell), round));
        both("getAndSet", (cell, round) -> (int) COUNT.getAndSet(cell, round));
        both("getAndSetAcquire", (cell, round) -> (int) COUNT.getAndSetAcquire(cell, round));
        both("getAndSetRelease", (cell, round) -> (int) COUNT.getAndSetRelease(cell, round));
        both("getAndAdd", (cell, round) -> (int) COUNT.getAndAdd(cell, 1));
        both("getAndAddAcquire", (cell, round) -> (int) COUNT.getAndAddAcquire(cell, 1));
        both("getAndAddRelease", (cell, round) -> (int) COUNT.getAndAddRelease(cell, 1));
        both("getAndBitwiseXor", (cell, round) -> (int) COUNT.getAndBitwiseXor(cell, round));
        both("getAndBitwiseXorAcquire", (cell, round) -> (int) COUNT.getAndBitwiseXorAcquire(cell, round));
        both("getAndBitwiseXorRelease", (cell, round) -> (int) COUNT.getAndBitwiseXorRelease(cell, round));
        // An `or` alone would soon have set every bit, an `and` alone would soon have cleared them: each starts anew at times.
        both("getAndBitwiseOr", (cell, round) -> anew(cell, round, 0) + (int) COUNT.getAndBitwiseOr(cell, round));
        both("getAndBitwiseOrAcquire", (cell, round) -> anew(cell, round, 0) + (int) COUNT.getAndBitwiseOrAcquire(cell, round));
        both("getAndBitwiseOrRelease", (cell, round) -> anew(cell, round, 0) + (int) COUNT.getAndBitwiseOrRelease(cell, round));
        both("getAndBitwiseAnd", (cell, round) -> anew(cell, round, -1) + (int) COUNT.getAndBitwiseAnd(cell, ~round));
        both("getAndBitwiseAndAcquire", (cell, round) -> anew(cell, round, -1) + (int) COUNT.getAndBitwiseAndAcquire(cell, ~round));
        both("getAndBitwiseAndRelease", (cell, round) -> anew(cell, round, -1) + (int) COUNT.getAndBitwiseAndRelease(cell, ~round));
    }

    private static int anew(Cell cell, int round, int value) {
        if (round % 4 == 0) {
            COUNT.setVolatile(cell, value);
        }
        return 0;
    }

    static final class Worker extends Thread {
        private final Cell cell;
        private final Step step;
        private int noise = 1;
        private long hash = 17;

        Worker(Cell cell, Step step) {
            this.cell = cell;
            this.step = step;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                work(5_000);
                hash = hash * 31 + step.take(cell, round);
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
        for (Phase phase : phases) {
            Cell cell = new Cell();
            Worker left = new Worker(cell, phase.left());
            Worker right = new Worker(cell, phase.right());
            left.start();
            right.start();
            left.join();
            right.join();
            System.out.println(phase.name() + " " + Long.toHexString(left.hash) + " " + Long.toHexString(right.hash));
        }
    }
}
