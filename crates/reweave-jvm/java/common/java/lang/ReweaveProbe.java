package java.lang;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The numbers by which threads avoid each other in striped tables. The VM's own doings use them too, on whichever thread they happen, so the program gets numbers of its
 * own, which follow from the stream.
 */
final class ReweaveProbe {
    private ReweaveProbe() {}

    static int get(Thread t) {
        return t.$rwProbe;
    }

    /** The next number: the same function as the JDK's. */
    static int next(int probe) {
        probe ^= probe << 13;
        probe ^= probe >>> 17;
        return probe ^ probe << 5;
    }

    static int first(int stream) {
        int h = stream * 0x9e3779b9;
        h ^= h >>> 16;
        return h == 0 ? 1 : h;
    }

    /** Gives the thread its own seed for random numbers. */
    static void seed(Thread t) {
        ReweaveQuiet.enter(t);
        ThreadLocalRandom.$rw$localInit();
        ReweaveQuiet.leave(t);
    }

    static ThreadLocalRandom current(Thread t) {
        ReweaveQuiet.enter(t);
        try {
            return ThreadLocalRandom.$rw$current();
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    static int secondary(Thread t) {
        ReweaveQuiet.enter(t);
        try {
            return ThreadLocalRandom.$rw$nextSecondarySeed();
        } finally {
            ReweaveQuiet.leave(t);
        }
    }
}
