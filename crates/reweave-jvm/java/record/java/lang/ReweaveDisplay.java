package java.lang;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock that stands before the display. It is taken by recorded code and, in static initialisers, by what is nobody's doing, so its own doings cannot be ordered one
 * by one; it is ordered as a whole, as a monitor is.
 */
public final class ReweaveDisplay {
    private static ReentrantLock lock;

    private ReweaveDisplay() {}

    public static void lock(ReentrantLock display, int site) {
        Thread t = Thread.currentThread();
        lock = display;
        ReweaveQuiet.enter(t);
        display.lock();
        // Native code may take it once more, or not, depending on what it finds.
        boolean first = display.getHoldCount() == 1;
        ReweaveQuiet.leave(t);
        if (first) Reweave.acquired(display, site);
    }

    public static void unlock(ReentrantLock display, int site) {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        try {
            display.unlock();
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    public static boolean isHeld(ReentrantLock display, int site) {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        boolean held = display.isHeldByCurrentThread();
        ReweaveQuiet.leave(t);
        return held;
    }

    public static void await(Condition condition, int site) throws InterruptedException {
        await(condition, Long.MAX_VALUE, TimeUnit.NANOSECONDS, site);
    }

    public static boolean await(Condition condition, long time, TimeUnit unit, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        boolean signalled = false;
        ReweaveQuiet.enter(t);
        try {
            signalled = condition.await(time, unit);
        } finally {
            ReweaveQuiet.leave(t);
            if (lock != null) Reweave.acquired(lock, site);
        }
        return Reweave.answer(signalled, site);
    }

    public static void signal(Condition condition, int site) {
        signalAll(condition, site);
    }

    public static void signalAll(Condition condition, int site) {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        condition.signalAll();
        ReweaveQuiet.leave(t);
    }
}
