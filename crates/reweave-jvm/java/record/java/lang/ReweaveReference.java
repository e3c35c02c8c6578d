package java.lang;

import static java.lang.ReweaveEvent.*;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/**
 * Records what the collector does to references that the program made: which of them it found empty, which came out of a queue, which objects were finalized.
 * A thread counts how often it asked; only answers that say that something is gone are events, with that count.
 */
final class ReweaveReference {
    /** The VM's thread that runs finalizers, and its stream. */
    private static Thread finalizer;
    private static int finalizerStream;

    private ReweaveReference() {}

    private static boolean off(Thread t) {
        return t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    static void made(Reference<?> r, Object referent, ReferenceQueue<?> queue) {
        Thread t = Thread.currentThread();
        if (referent == null || off(t)) return;
        if (queue == null || !queue.$rwFollowed) {
            if (ReweaveMade.isProgram(r.getClass())) ReweaveMade.set(r, ReweaveMade.NO_QUEUE);
        } else ReweaveMade.set(r, ReweaveLog.value(t, VALUE, MADE_SITE, 0, 0, 0));
    }

    static void madeQueue(ReferenceQueue<?> queue) {
        if (!off(Thread.currentThread())) queue.$rwFollowed = true;
    }

    static boolean isGone(Reference<?> r, boolean gone) {
        if (ReweaveMade.of(r) == 0) return gone;
        Thread t = Thread.currentThread();
        if (off(t)) return gone;
        t.$rwAsked++;
        if (gone) ReweaveLog.value(t, VALUE, GONE_SITE, 0, 0, t.$rwAsked);
        return gone;
    }

    static Reference<?> poll(ReferenceQueue<?> queue) {
        Thread t = Thread.currentThread();
        if (off(t)) return queue.$rw$poll();
        // Queues of the JDK's own, for caches that are all the same to the program: whatever is in there stays.
        if (!queue.$rwFollowed) return null;
        ReweaveQuiet.enter(t);
        Reference<?> r;
        try {
            r = queue.$rw$poll();
        } finally {
            ReweaveQuiet.leave(t);
        }
        t.$rwAsked++;
        if (r != null) ReweaveLog.value(t, VALUE, POLLED_SITE, 0, link(r), t.$rwAsked);
        return r;
    }

    static Reference<?> remove(ReferenceQueue<?> queue, long millis, boolean timed) throws InterruptedException {
        Thread t = Thread.currentThread();
        boolean off = !queue.$rwFollowed || off(t);
        Reference<?> r = null;
        InterruptedException thrown = null;
        ReweaveQuiet.enter(t);
        try {
            r = timed ? queue.$rw$remove(millis) : queue.$rw$remove();
        } catch (InterruptedException e) {
            thrown = ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
        if (!off && thrown != null) ReweaveLog.value(t, VALUE, REMOVED_SITE, 0, t.$rwSignal, INTERRUPTED);
        else if (!off) ReweaveLog.value(t, VALUE, REMOVED_SITE, 0, r == null ? 0 : link(r), r == null ? TIMED_OUT : DONE);
        if (thrown != null) throw thrown;
        return r;
    }

    /** The event of its making. A thread outside may have put one there that has none. */
    private static long link(Reference<?> r) {
        long made = ReweaveMade.of(r);
        if (made > ReweaveMade.NO_QUEUE) return made;
        ReweaveInput.lost("a reference that a thread outside made");
        return 0;
    }

    // Finalizers: a stream for the thread of the VM that runs them. Its other doings are quiet.

    static void madeFinalizer(Reference<?> finalizer, Object object) {
        Thread t = Thread.currentThread();
        if (object == null || off(t) || object.getClass().getClassLoader0() == null) return;
        ReweaveMade.set(finalizer, ReweaveLog.value(t, VALUE, MADE_SITE, 0, 0, 0));
    }

    static void finalizing(Reference<?> r) {
        long made = ReweaveMade.of(r);
        Thread t = Thread.currentThread();
        if (made == 0 || t.$rwStream > 0) return;
        // Runtime.runFinalization has threads of its own.
        if (finalizer != t) {
            int stream = Reweave.stream(0, "Finalizer");
            if (stream <= 0) return;
            if (finalizer == null) finalizer = t;
            if (finalizer == t) finalizerStream = stream;
            t.$rwStream = stream;
        } else t.$rwStream = finalizerStream;
        t.$rwSlot = ReweaveMemory.slot(t.$rwStream);
        t.$rwQuiet = 0;
        t.$rwEnd = t.$rwPos == 0 ? 0 : t.$rwSaved;
        ReweaveLog.value(t, VALUE, FINALIZED_SITE, 0, made, 0);
    }

    static void finalized() {
        Thread t = Thread.currentThread();
        if (t.$rwStream <= 0) return;
        t.$rwStream = -1;
        t.$rwSlot = 0;
        t.$rwSaved = t.$rwEnd;
        t.$rwEnd = 0;
    }
}
