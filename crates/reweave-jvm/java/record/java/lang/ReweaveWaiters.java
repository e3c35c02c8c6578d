package java.lang;

/**
 * Who waits where, to tell which notify woke which waiter. The VM wakes the longest waiter first, but a waiter may time out or be interrupted in the
 * same instant, unseen; the notify then went to the next one. So notify marks the longest waiter, and whoever returns sets the marks right.
 * All changes for one object happen under that object's monitor; the lists are shared by objects, hence the spin lock.
 */
final class ReweaveWaiters {
    private static final int BUCKETS = 256;
    private static final ReweaveWaiters[] first = new ReweaveWaiters[BUCKETS];
    private static volatile int waiting;
    private static long lockWord;

    final Object object;
    private final int bucket;
    /** Link of the notify that was meant for this waiter; 0 if none. */
    long notifier;
    private ReweaveWaiters next;

    private ReweaveWaiters(Object object, int bucket) {
        this.object = object;
        this.bucket = bucket;
    }

    static void init() {
        lockWord = ReweaveLog.U.allocateMemory(8);
        ReweaveLog.U.putLong(lockWord, 0);
    }

    private static void lock() {
        int tries = 0;
        while (!ReweaveLog.U.compareAndSetInt(null, lockWord, 0, 1)) {
            if (++tries > 100) ReweaveLog.U.park(false, 20_000L);
            else Thread.onSpinWait();
        }
    }

    private static void unlock() {
        ReweaveLog.U.putIntRelease(null, lockWord, 0);
    }

    private static int bucket(Object o) {
        long info = o.getClass().$rwInfo;
        // An object with an order word of its own may have no hash, and gets none for this.
        return ((int) info > 0 ? (int) (info >>> 32) : ReweaveHash.peek(o)) & BUCKETS - 1;
    }

    /** The caller holds the monitor of {@code o} and is about to wait. Newest last. */
    static ReweaveWaiters add(Object o) {
        int b = bucket(o);
        ReweaveWaiters node = new ReweaveWaiters(o, b);
        lock();
        waiting++;
        if (first[b] == null) first[b] = node;
        else {
            ReweaveWaiters last = first[b];
            while (last.next != null) last = last.next;
            last.next = node;
        }
        unlock();
        return node;
    }

    /** The caller holds the monitor and notifies; {@code me} is the link of that event. */
    static void mark(Object o, long me, boolean all) {
        if (waiting == 0) return;
        int b = bucket(o);
        lock();
        for (ReweaveWaiters n = first[b]; n != null; n = n.next) {
            if (n.object == o && n.notifier == 0) {
                n.notifier = me;
                if (!all) break;
            }
        }
        unlock();
    }

    /**
     * The waiter is back and holds the monitor. Returns the link of the notify that woke it, or 0 if it timed out or was interrupted
     * ({@code early}: it came back before its time and without an interrupt, so some notify was its).
     */
    long remove(boolean early, boolean interrupted) {
        int b = bucket;
        long found = notifier;
        lock();
        waiting--;
        ReweaveWaiters before = null;
        for (ReweaveWaiters n = first[b]; n != this; n = n.next) before = n;
        if (before == null) first[b] = next;
        else before.next = next;
        if (interrupted && found != 0) {
            // An interrupted waiter was not notified: that notify went to the next one.
            for (ReweaveWaiters n = first[b]; n != null; n = n.next) {
                if (n.object == object && n.notifier == 0) {
                    n.notifier = found;
                    break;
                }
            }
            found = 0;
        } else if (early && found == 0) {
            // Somebody else carries the mark that is this waiter's.
            for (ReweaveWaiters n = first[b]; n != null; n = n.next) {
                if (n.object == object && n.notifier != 0) {
                    found = n.notifier;
                    n.notifier = 0;
                    break;
                }
            }
        }
        unlock();
        return found;
    }
}
