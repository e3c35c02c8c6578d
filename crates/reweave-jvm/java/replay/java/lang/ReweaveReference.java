package java.lang;

import static java.lang.ReweaveEvent.*;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;

/**
 * Repeats what the collector did: a reference that the program made holds its referent until the recording says that it was found empty or came out of a queue. Real queues
 * stay empty, and finalizers are run by threads of ours, in the streams of those that ran them.
 */
final class ReweaveReference {
    /** References that come out of queues later, by the events of their making. */
    private static long[] links = new long[64];
    private static Reference<?>[] references = new Reference<?>[64];
    private static int count;
    private static final int MOST_TRIES = 20_000;

    private ReweaveReference() {}

    /** Whether the stream's next event is a value of this site, with this value. */
    static native boolean isNext(int stream, int site, long value);
    /** Link of the event that was let pass, and the link that it has. */
    static native long own(int stream);
    static native long before(int stream);
    /** Whether a reference made at that event comes out of a queue, or is finalized. */
    static native boolean returns(long link);
    /** Whether the stream that made it has gone on to something else since, or is the one that asks. */
    static native boolean isBuilt(long link, int stream);
    /** Streams in which finalizers ran. */
    static native int finalizerStream(int index);
    static native void runFinalizer(Object finalizer);

    private static boolean off(Thread t) {
        return t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    static void made(Reference<?> r, Object referent, ReferenceQueue<?> queue) {
        Thread t = Thread.currentThread();
        if (referent == null || off(t)) return;
        if (queue == null || !queue.$rwFollowed) {
            if (!ReweaveMade.isProgram(r.getClass())) return;
            ReweaveMade.set(r, ReweaveMade.NO_QUEUE);
            ReweaveMade.hold(r, referent);
        } else follow(t, r, referent);
    }

    private static void follow(Thread t, Reference<?> r, Object referent) {
        if (!Reweave.turn(t, VALUE, MADE_SITE, null)) return;
        long link = own(t.$rwStream);
        ReweaveMade.set(r, link);
        ReweaveMade.hold(r, referent);
        if (returns(link)) put(link, r);
        Reweave.after(t.$rwStream);
    }

    static void madeQueue(ReferenceQueue<?> queue) {
        if (!off(Thread.currentThread())) queue.$rwFollowed = true;
    }

    static boolean isGone(Reference<?> r, boolean gone) {
        if (ReweaveMade.of(r) == 0) return gone;
        Thread t = Thread.currentThread();
        if (off(t)) return gone;
        t.$rwAsked++;
        if (!isNext(t.$rwStream, GONE_SITE, t.$rwAsked) || !Reweave.turn(t, VALUE, GONE_SITE, null)) return gone;
        Reweave.after(t.$rwStream);
        ReweaveMade.hold(r, null);
        return true;
    }

    static Reference<?> poll(ReferenceQueue<?> queue) {
        Thread t = Thread.currentThread();
        if (off(t)) return queue.$rw$poll();
        // Queues of the JDK's own, for caches that are all the same to the program: whatever is in there stays.
        if (!queue.$rwFollowed) return null;
        t.$rwAsked++;
        if (!isNext(t.$rwStream, POLLED_SITE, t.$rwAsked) || !Reweave.turn(t, VALUE, POLLED_SITE, null)) return null;
        return released(take(t));
    }

    static Reference<?> remove(ReferenceQueue<?> queue, long millis, boolean timed) throws InterruptedException {
        Thread t = Thread.currentThread();
        if (!queue.$rwFollowed || off(t) || millis < 0 || !Reweave.turn(t, VALUE, REMOVED_SITE, null)) return timed ? queue.$rw$remove(millis) : queue.$rw$remove();
        long outcome = Reweave.value(t.$rwStream);
        Reference<?> r = outcome == DONE ? released(take(t)) : null;
        if (outcome != DONE) Reweave.after(t.$rwStream);
        if (outcome != INTERRUPTED) return r;
        t.$rw$interrupt();
        ReweaveQuiet.enter(t);
        try {
            // Never returns: nothing is in there.
            ReferenceQueue<?> empty = new ReferenceQueue<>();
            return timed ? empty.$rw$remove(millis) : empty.$rw$remove();
        } catch (InterruptedException e) {
            throw ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    /** The reference that the current event brings. */
    private static Reference<?> take(Thread t) {
        long made = before(t.$rwStream);
        Reference<?> r = find(made);
        // It may be under construction still: the collector never takes such.
        for (int tries = 0; tries < MOST_TRIES && !isBuilt(made, t.$rwStream); tries++) {
            if (tries > 100) jdk.internal.misc.Unsafe.getUnsafe().park(false, 50_000L);
            else Thread.yield();
        }
        Reweave.after(t.$rwStream);
        return r;
    }

    private static Reference<?> released(Reference<?> r) {
        if (r != null) ReweaveMade.hold(r, null);
        return r;
    }

    private static synchronized void put(long link, Reference<?> r) {
        if (count == links.length) {
            long[] moreLinks = new long[count * 2];
            Reference<?>[] more = new Reference<?>[count * 2];
            System.arraycopy(links, 0, moreLinks, 0, count);
            System.arraycopy(references, 0, more, 0, count);
            links = moreLinks;
            references = more;
        }
        links[count] = link;
        references[count++] = r;
    }

    private static synchronized Reference<?> find(long link) {
        for (int i = 0; i < count; i++) {
            if (links[i] != link) continue;
            Reference<?> r = references[i];
            links[i] = links[--count];
            references[i] = references[count];
            references[count] = null;
            return r;
        }
        return null;
    }

    // Finalizers

    static void madeFinalizer(Reference<?> finalizer, Object object) {
        Thread t = Thread.currentThread();
        if (object == null || off(t) || object.getClass().getClassLoader0() == null) return;
        follow(t, finalizer, object);
    }

    static void finalizing(Reference<?> r) {}

    static void finalized() {}

    /** Starts a thread for each of these streams. */
    static void startFinalizers() {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        int stream;
        for (int i = 0; (stream = finalizerStream(i)) > 0; i++) {
            Thread runner = new Runner();
            runner.$rwStream = stream;
            runner.$rwSlot = ReweaveMemory.slot(stream);
            runner.start();
        }
        ReweaveQuiet.leave(t);
    }

    private static final class Runner extends Thread {
        Runner() {
            super("Finalizer");
            setDaemon(true);
        }

        @Override
        public void run() {
            while (Reweave.turn(this, VALUE, FINALIZED_SITE, null)) {
                Reference<?> finalizer = take(this);
                if (finalizer == null) continue;
                runFinalizer(finalizer);
                // Not before: the collector would give it to the VM's own thread.
                released(finalizer);
            }
        }
    }
}
