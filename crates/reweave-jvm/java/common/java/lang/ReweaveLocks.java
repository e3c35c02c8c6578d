package java.lang;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ReservedStackAccess;

/**
 * What the JDK's own locks do with their state, as one access to memory instead of one for each field. It happens between the calls that order an access to the
 * synchronizer, so to all others it is one step. Each method says what the method of the lock that calls it is to return, or that this method is to go on by itself,
 * one access after the other: where it throws.
 *
 * Whether the owner is the current thread depends on nothing that others do: nobody else writes that thread there or takes it away. So neither that question is ordered, nor
 * what a thread does with a lock that it holds already.
 */
public final class ReweaveLocks {
    private static final int NO = 0, YES = 1, GO_ON = -1;
    /** What was done to the state. */
    static final int READ = 0, UPDATED = 1, WRITTEN = 2;

    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long STATE = U.objectFieldOffset(AbstractQueuedSynchronizer.class, "state");
    private static final long OWNER = U.objectFieldOffset(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");

    private ReweaveLocks() {}

    /** ReentrantLock: the first attempt, or the only one. */
    @ReservedStackAccess
    public static int take(AbstractQueuedSynchronizer lock, int site) {
        Thread t = Thread.currentThread();
        if (U.getReference(lock, OWNER) == t) {
            int times = U.getInt(lock, STATE) + 1;
            if (times < 0) return GO_ON;
            U.putIntVolatile(lock, STATE, times);
            return YES;
        }
        boolean ordered = ReweaveMemory.enterLock(t, lock, site), taken = take(t, lock, 1);
        if (ordered) ReweaveMemory.leave(lock, STATE, taken ? UPDATED : READ, site);
        return taken ? YES : NO;
    }

    /** ReentrantLock: while a thread waits for it. */
    @ReservedStackAccess
    public static int takeFree(AbstractQueuedSynchronizer lock, int times, int site) {
        Thread t = Thread.currentThread();
        boolean ordered = ReweaveMemory.enterLock(t, lock, site), taken = take(t, lock, times);
        if (ordered) ReweaveMemory.leave(lock, STATE, taken ? UPDATED : READ, site);
        return taken ? YES : NO;
    }

    @ReservedStackAccess
    public static int release(AbstractQueuedSynchronizer lock, int times, int site) {
        Thread t = Thread.currentThread();
        if (U.getReference(lock, OWNER) != t) return GO_ON;
        int left = U.getInt(lock, STATE) - times;
        if (left != 0) {
            U.putIntVolatile(lock, STATE, left);
            return NO;
        }
        boolean ordered = ReweaveMemory.enterLock(t, lock, site);
        free(lock);
        if (ordered) ReweaveMemory.leave(lock, STATE, WRITTEN, site);
        return YES;
    }

    public static int isHeld(AbstractQueuedSynchronizer lock, int site) {
        return U.getReference(lock, OWNER) == Thread.currentThread() ? YES : NO;
    }

    /** The lock that a thread of a pool holds while it works. */
    public static int takeWorker(AbstractQueuedSynchronizer worker, int unused, int site) {
        Thread t = Thread.currentThread();
        boolean ordered = ReweaveMemory.enter(t, worker, site), taken = take(t, worker, 1);
        if (ordered) ReweaveMemory.leave(worker, STATE, taken ? UPDATED : READ, site);
        return taken ? YES : NO;
    }

    /** Not only what was taken is given back: a new worker begins with this. */
    public static int releaseWorker(AbstractQueuedSynchronizer worker, int unused, int site) {
        boolean ordered = ReweaveMemory.enter(Thread.currentThread(), worker, site);
        free(worker);
        if (ordered) ReweaveMemory.leave(worker, STATE, WRITTEN, site);
        return YES;
    }

    /** CountDownLatch. */
    public static int countOne(AbstractQueuedSynchronizer latch, int unused, int site) {
        boolean ordered = ReweaveMemory.enterLock(Thread.currentThread(), latch, site);
        int left;
        do left = U.getIntVolatile(latch, STATE);
        while (left != 0 && !U.compareAndSetInt(latch, STATE, left, left - 1));
        if (ordered) ReweaveMemory.leave(latch, STATE, left != 0 ? UPDATED : READ, site);
        return left == 1 ? YES : NO;
    }

    private static boolean take(Thread t, AbstractQueuedSynchronizer lock, int times) {
        boolean taken = U.getIntVolatile(lock, STATE) == 0 && U.compareAndSetInt(lock, STATE, 0, times);
        if (taken) U.putReference(lock, OWNER, t);
        return taken;
    }

    private static void free(AbstractQueuedSynchronizer lock) {
        U.putReference(lock, OWNER, null);
        U.putIntVolatile(lock, STATE, 0);
    }
}
