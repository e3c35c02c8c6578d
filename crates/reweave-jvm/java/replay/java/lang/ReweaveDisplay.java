package java.lang;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The lock that stands before the display, taken in the recorded order, as a monitor is. Nobody waits for signals: who has it next is known. */
public final class ReweaveDisplay {
    private static ReentrantLock lock;

    private ReweaveDisplay() {}

    public static void lock(ReentrantLock display, int site) {
        Thread t = Thread.currentThread();
        lock = display;
        boolean first = !isHeld(display, site);
        if (first) Reweave.acquiring(display, site);
        ReweaveQuiet.enter(t);
        display.lock();
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
        Reweave.released();
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
        if (lock == null || t.$rwStream <= 0 || t.$rwQuiet != 0) return condition.await(time, unit);
        ReweaveQuiet.enter(t);
        int held = lock.getHoldCount();
        for (int i = 0; i < held; i++) lock.unlock();
        ReweaveQuiet.leave(t);
        Reweave.released();
        Reweave.acquiring(lock, site);
        ReweaveQuiet.enter(t);
        for (int i = 0; i < held; i++) lock.lock();
        ReweaveQuiet.leave(t);
        Reweave.acquired(lock, site);
        return Reweave.answer(false, site);
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
