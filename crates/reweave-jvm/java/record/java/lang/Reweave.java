package java.lang;

import static java.lang.ReweaveEvent.*;

import java.io.FileOutputStream;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.concurrent.locks.LockSupport;

/**
 * What instrumented code calls while a run is recorded: do the real operation, then log it (a notify, an interrupt and an unpark are logged first, so that what they
 * cause comes later). The class of the same name in replay/ has the same methods; hooks.rs is the list of both.
 */
public final class Reweave {
    /** False before the VM is up and after recording stopped: then nothing here does anything. */
    static boolean ready;
    private static volatile boolean closing;
    private static long writingCount;

    private Reweave() {}

    /** The next chunk of a stream: the address of its payload, behind its section header; 0 if recording must stop. */
    static native long chunk(int stream, long position);
    /** A new stream, and a table record that names it. */
    static native int stream(int parent, String name);
    /** A new stream for the static initialiser of the class with that hash. */
    static native int newClassStream(int parent, int hash);
    /** 1 if threads of that name stay outside. */
    static native int outside(String name);
    /** A number for the class, and a table record that names it. */
    static native int classId(Class<?> type);
    /** The class that declares the order word of instances of this one, or null. */
    static native Class<?> orderClass(Class<?> type);
    /** Ends a stream. */
    static native void finish(int stream, long position);
    static native void blockForever();

    /** Called by the agent once the VM is up, on the main thread. */
    static void init(long cells, long slots, int slotCount, long shared, long flags, long descriptors, String[] childOptions) {
        ReweaveLog.cells = cells;
        ReweaveMemory.init(slots, slotCount, shared, flags);
        ReweaveLog.signalOffset = ReweaveLog.U.objectFieldOffset(Thread.class, "$rwSignal");
        ReweaveLog.infoOffset = ReweaveLog.U.objectFieldOffset(Class.class, "$rwInfo");
        ReweaveWaiters.init();
        ReweaveHash.init();
        ReweaveArrays.init(shared + ReweaveMemory.SHARED * 8L);
        ReweaveInput.init(descriptors);
        writingCount = ReweaveLog.U.allocateMemory(8);
        ReweaveLog.U.putLong(writingCount, 0);
        ReweaveQuiet.childOptions = childOptions;
        Thread main = Thread.currentThread();
        main.$rwStream = stream(0, "main");
        main.$rwSlot = ReweaveMemory.slot(main.$rwStream);
        ready = true;
        value(ReweaveSalt.salt(0), SALT_SITE);
        ReweaveRuntime.keepProperties();
    }

    private static boolean off(Thread t) {
        return !ready || t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    // Monitors

    public static void acquired(Object o, int site) {
        if (!ready) return;
        Thread t = Thread.currentThread();
        long p = t.$rwPos;
        if (p < t.$rwEnd) ReweaveLog.monitor(t, p, o, site, ACQUIRE);
        else acquiredSlowly(t, o, site);
    }

    private static void acquiredSlowly(Thread t, Object o, int site) {
        if (t.$rwQuiet != 0) return;
        if (t.$rwStream <= 0) ReweaveLog.mark(o);
        else {
            long p = ReweaveLog.slow(t);
            if (p != 0) ReweaveLog.monitor(t, p, o, site, ACQUIRE);
        }
    }

    public static void acquiring(Object o, int site) {}


    public static void releasing(Object o) {}
    public static void released() {}

    /** A monitor entered by code that the user excluded. */
    public static void acquiredOutside(Object o, int site) {
        if (ready) ReweaveLog.mark(o);
    }

    public static void await(Object o, int site) throws InterruptedException {
        await(o, 0, 0, 1, site);
    }

    public static void await(Object o, long millis, int site) throws InterruptedException {
        await(o, millis, 0, 2, site);
    }

    public static void awaitFine(Object o, long millis, int nanos, int site) throws InterruptedException {
        await(o, millis, nanos, 3, site);
    }

    private static void await(Object o, long millis, int nanos, int form, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        if (off(t) || o == null || !Thread.holdsLock(o)) {
            realWait(t, o, millis, nanos, form);
            return;
        }
        ReweaveWaiters waiter = ReweaveWaiters.add(o);
        long before = System.nanoTime();
        Throwable thrown = null;
        try {
            realWait(t, o, millis, nanos, form);
        } catch (Throwable e) {
            thrown = e;
        }
        boolean interrupted = thrown instanceof InterruptedException;
        boolean timed = form != 1 && (millis > 0 || nanos > 0);
        boolean early = thrown == null && !(timed && System.nanoTime() - before >= millis * 1_000_000L + nanos);
        long notifier = waiter.remove(early, interrupted);
        if (thrown != null && !interrupted) throw ReweaveQuiet.<RuntimeException>sneak(thrown);
        long p = ReweaveLog.place(t);
        if (p != 0) {
            long outcome = notifier;
            if (interrupted) outcome = t.$rwSignal == 0 ? INTERRUPTED : t.$rwSignal;
            else if (notifier == 0) outcome = early ? SPURIOUS : TIMED_OUT;
            ReweaveLog.waited(t, p, o, site, outcome);
        }
        if (interrupted) throw (InterruptedException) thrown;
    }

    private static void realWait(Thread t, Object o, long millis, int nanos, int form) throws InterruptedException {
        try {
            switch (form) {
                case 1: o.wait(); break;
                case 2: o.wait(millis); break;
                default: o.wait(millis, nanos);
            }
        } catch (InterruptedException | RuntimeException e) {
            throw ReweaveQuiet.rethrow(t, e);
        }
    }

    public static void signal(Object o, int site) {
        signal(o, site, false);
    }

    public static void signalAll(Object o, int site) {
        signal(o, site, true);
    }

    private static void signal(Object o, int site, boolean all) {
        Thread t = Thread.currentThread();
        if (!off(t) && o != null && Thread.holdsLock(o)) {
            long p = ReweaveLog.place(t);
            if (p != 0) {
                long me = t.$rwBias + (p >>> 3);
                ReweaveLog.monitor(t, p, o, site, all ? NOTIFY_ALL : NOTIFY);
                ReweaveWaiters.mark(o, me, all);
            }
        }
        try {
            if (all) o.notifyAll();
            else o.notify();
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        }
    }

    // Threads

    /** First thing in Thread.start. */
    public static void start(Thread child, int site) {
        if (!ready || child.$rwStream != 0) return;
        Thread t = Thread.currentThread();
        boolean source = ReweaveQuiet.isSource(child);
        if (source || off(t) || ReweaveQuiet.isWorker(child)) {
            child.$rwStream = -1;
            if (source) startSource(t, child);
            return;
        }
        ReweaveQuiet.enter(t);
        String name = child.getName();
        int id = outside(name) != 0 ? -1 : stream(t.$rwStream, name);
        ReweaveQuiet.leave(t);
        if (id > 0) ReweaveLog.value(t, START, site, 0, 0, id);
        child.$rwStream = id;
        child.$rwSlot = ReweaveMemory.slot(id, t);
    }

    private static void startSource(Thread t, Thread child) {
        ReweaveQuiet.enter(t);
        if (outside(child.getName()) == 0) {
            child.$rwStream = stream(0, child.getName());
            child.$rwSlot = ReweaveMemory.slot(child.$rwStream);
        }
        ReweaveQuiet.leave(t);
    }

    /** First thing in ApplicationShutdownHooks.add: a hook's thread is started at the end by whoever ends the program. */
    public static void hook(Thread child, int site) {
        if (!ready || child == null || child.$rwStream != 0) return;
        Thread t = Thread.currentThread();
        if (off(t)) return;
        ReweaveQuiet.enter(t);
        int id = stream(t.$rwStream, child.getName());
        ReweaveQuiet.leave(t);
        ReweaveLog.value(t, HOOK, site, 0, 0, id);
        child.$rwStream = id;
        child.$rwSlot = ReweaveMemory.slot(id, t);
    }

    /** First thing in Thread.exit, which the VM calls after run and after the handler of an uncaught exception. */
    public static void exit(Thread t, int site) {
        if (!ready || t.$rwStream <= 0) return;
        t.$rwExit = ReweaveLog.plain(t, EXIT, site);
        finish(t.$rwStream, t.$rwPos);
        ReweaveMemory.forget(t);
        t.$rwSlot = 0;
        t.$rwQuiet = 1 << 20;
        t.$rwEnd = 0;
        t.$rwCache = null;
    }

    // Virtual threads: what is left to do at their end, their carrier does for them, in their stream.

    public static void virtualBegin() {}

    public static void virtualEnd() {
        if (!ready) return;
        Thread t = Thread.currentThread();
        if (!off(t)) t.$rwExit = ReweaveLog.plain(t, EXIT, 0);
    }

    public static void virtualDone(VirtualThread virtual, boolean notifyContainer, int site) {
        Thread t = Thread.currentThread();
        if (!ready || virtual.$rwStream <= 0 || t.$rwStream > 0) {
            virtual.$rw$afterDone(notifyContainer);
            return;
        }
        Frame own = new Frame(t, null);
        int probe = t.$rwProbe;
        new Frame(virtual, null).restore(t);
        t.$rwProbe = virtual.$rwProbe;
        t.$rwCache = virtual.$rwCache;
        try {
            virtual.$rw$afterDone(notifyContainer);
        } finally {
            finish(t.$rwStream, t.$rwPos);
            ReweaveMemory.forget(t);
            own.restore(t);
            t.$rwProbe = probe;
            t.$rwCache = null;
        }
    }

    public static void countDown(java.util.concurrent.CountDownLatch latch, int site) {
        ReweaveQuiet.countDown(latch);
    }

    public static void uncaught(Thread t, Throwable thrown, int site) {
        if (ready) ReweaveLog.value(Thread.currentThread(), UNCAUGHT, site, 0, 0, ReweaveLog.inspect(thrown.getClass()) >>> 32);
    }

    public static void join(Thread target, int site) throws InterruptedException {
        join(target, 0, 0, 1, site);
    }

    public static void join(Thread target, long millis, int site) throws InterruptedException {
        join(target, millis, 0, 2, site);
    }

    public static void joinFine(Thread target, long millis, int nanos, int site) throws InterruptedException {
        join(target, millis, nanos, 3, site);
    }

    private static void join(Thread target, long millis, int nanos, int form, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        InterruptedException thrown = null;
        ReweaveQuiet.enter(t);
        try {
            switch (form) {
                case 1: target.join(); break;
                case 2: target.join(millis); break;
                default: target.join(millis, nanos);
            }
        } catch (InterruptedException e) {
            thrown = ReweaveQuiet.clean(t, e);
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
        if (!off(t)) {
            long who = (long) Math.max(target.$rwStream, 0) << 8;
            if (thrown != null) ReweaveLog.value(t, JOIN, site, 0, t.$rwSignal, who | INTERRUPTED);
            else if (target.$rw$isAlive()) ReweaveLog.value(t, JOIN, site, 0, 0, who | TIMED_OUT);
            else ReweaveLog.value(t, JOIN, site, 0, target.$rwExit, who | DONE);
        }
        if (thrown != null) throw thrown;
    }

    /** With a Duration (JDK 19 and newer): whether the thread has ended. */
    public static boolean joinFor(Thread target, java.time.Duration duration, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        boolean ended;
        ReweaveQuiet.enter(t);
        try {
            ended = target.join(duration);
        } catch (InterruptedException e) {
            ReweaveQuiet.leave(t);
            if (!off(t)) ReweaveLog.value(t, JOIN, site, 0, t.$rwSignal, (long) Math.max(target.$rwStream, 0) << 8 | INTERRUPTED);
            ReweaveQuiet.enter(t);
            throw ReweaveQuiet.clean(t, e);
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
        long who = (long) Math.max(target.$rwStream, 0) << 8;
        if (!off(t)) ReweaveLog.value(t, JOIN, site, 0, ended ? target.$rwExit : 0, who | (ended ? DONE : TIMED_OUT));
        return ended;
    }

    public static boolean alive(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (target == null) ReweaveQuiet.noThread(t);
        boolean alive = target.$rw$isAlive();
        if (!off(t)) ReweaveLog.value(t, VALUE, site, 0, alive ? 0 : target.$rwExit, alive ? 1 : 0);
        return alive;
    }

    public static void interrupt(Thread target, int site) {
        ReweaveQuiet.interrupt(target, site);
    }

    private static void threadInterrupt(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (!off(t)) ReweaveLog.signal(t, target, INTERRUPT, site, Math.max(target.$rwStream, 0));
        target.$rw$interrupt();
    }

    public static boolean interrupted(int site) {
        Thread t = Thread.currentThread();
        boolean flag = Thread.$rw$interrupted();
        if (!off(t)) ReweaveLog.signal(t, t, INTERRUPT_CHECK, site, (long) t.$rwStream << 8 | (flag ? 3 : 2));
        return flag;
    }

    public static boolean isInterrupted(Thread target, int site) {
        return ReweaveQuiet.isInterrupted(target, site);
    }

    private static boolean threadIsInterrupted(Thread target, int site) {
        Thread t = Thread.currentThread();
        boolean flag = target.$rw$isInterrupted();
        if (!off(t)) ReweaveLog.signal(t, target, INTERRUPT_CHECK, site, (long) Math.max(target.$rwStream, 0) << 8 | (flag ? 1 : 0));
        return flag;
    }

    public static void sleep(long millis, int site) throws InterruptedException {
        sleep(millis, 0, false, site);
    }

    public static void sleepFine(long millis, int nanos, int site) throws InterruptedException {
        sleep(millis, nanos, true, site);
    }

    private static void sleep(long millis, int nanos, boolean fine, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        InterruptedException thrown = null;
        ReweaveQuiet.enter(t);
        try {
            if (fine) Thread.sleep(millis, nanos);
            else Thread.sleep(millis);
        } catch (InterruptedException e) {
            thrown = ReweaveQuiet.clean(t, e);
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
        slept(t, site, thrown);
    }

    /** With a Duration (JDK 19 and newer). */
    public static void sleepFor(java.time.Duration duration, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        InterruptedException thrown = null;
        ReweaveQuiet.enter(t);
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            thrown = ReweaveQuiet.clean(t, e);
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
        slept(t, site, thrown);
    }

    private static void slept(Thread t, int site, InterruptedException thrown) throws InterruptedException {
        if (!off(t)) {
            if (thrown == null) ReweaveLog.value(t, SLEEP, site, 0, 0, DONE);
            else ReweaveLog.value(t, SLEEP, site, 0, t.$rwSignal, INTERRUPTED);
        }
        if (thrown != null) throw thrown;
    }

    // Park

    public static void park(int site) {
        park(null, 0, 0, site);
    }

    public static void park(Object blocker, int site) {
        park(blocker, 1, 0, site);
    }

    public static void parkNanos(long nanos, int site) {
        park(null, 2, nanos, site);
    }

    public static void parkNanos(Object blocker, long nanos, int site) {
        park(blocker, 3, nanos, site);
    }

    public static void parkUntil(long deadline, int site) {
        park(null, 4, deadline, site);
    }

    public static void parkUntil(Object blocker, long deadline, int site) {
        park(blocker, 5, deadline, site);
    }

    private static void park(Object blocker, int form, long time, int site) {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        try {
            switch (form) {
                case 0: LockSupport.park(); break;
                case 1: LockSupport.park(blocker); break;
                case 2: LockSupport.parkNanos(time); break;
                case 3: LockSupport.parkNanos(blocker, time); break;
                case 4: LockSupport.parkUntil(time); break;
                default: LockSupport.parkUntil(blocker, time);
            }
        } finally {
            ReweaveQuiet.leave(t);
        }
        if (!off(t)) ReweaveLog.signal(t, t, PARK, site, 0);
    }

    public static void unpark(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (!off(t) && target != null) ReweaveLog.signal(t, target, UNPARK, site, Math.max(target.$rwStream, 0));
        LockSupport.unpark(target);
    }

    // Class initialisation: its events go to a stream of the class, whichever thread runs it.

    static final class Frame {
        final Frame next;
        final long pos, end, bias, saved, slot, seen;
        final int stream, quiet;

        Frame(Thread t, Frame next) {
            this.next = next;
            pos = t.$rwPos;
            end = t.$rwEnd;
            bias = t.$rwBias;
            saved = t.$rwSaved;
            slot = t.$rwSlot;
            seen = t.$rwSeen;
            stream = t.$rwStream;
            quiet = t.$rwQuiet;
        }

        void restore(Thread t) {
            t.$rwPos = pos;
            t.$rwBias = bias;
            t.$rwSaved = saved;
            t.$rwSlot = slot;
            t.$rwSeen = seen;
            t.$rwStream = stream;
            t.$rwQuiet = quiet;
            t.$rwEnd = end;
        }
    }

    public static void touch(Class<?> type) {}

    public static void touchEnum(Class<?> type, int site) {}

    public static void initialiserEnter(int hash) {
        if (!ready) return;
        Thread t = Thread.currentThread();
        Frame frame = new Frame(t, (Frame) t.$rwFrames);
        // The last word of the event before; a link may name any word of its event. In a quiet section it may come sooner or later in a replay.
        long last = frame.stream > 0 && frame.bias != 0 && frame.quiet == 0 ? frame.bias + (frame.pos >>> 3) - 1 : 0;
        t.$rwQuiet = 1;
        t.$rwEnd = 0;
        t.$rwSlot = 0;
        int id = newClassStream(Math.max(frame.stream, 0), hash);
        t.$rwFrames = frame;
        t.$rwPos = 0;
        t.$rwBias = 0;
        t.$rwSaved = 0;
        t.$rwQuiet = 0;
        t.$rwStream = id;
        t.$rwSlot = ReweaveMemory.slot(id);
        t.$rwSeen = 0;
        ReweaveLog.value(t, CLASS_INIT, 0, 0, last, Math.max(frame.stream, 0));
    }

    public static void initialiserLeave() {
        if (!ready) return;
        Thread t = Thread.currentThread();
        Frame frame = (Frame) t.$rwFrames;
        if (frame == null) return;
        if (t.$rwStream > 0) {
            ReweaveLog.plain(t, CLASS_INIT_END, 0);
            finish(t.$rwStream, t.$rwPos);
        }
        ReweaveMemory.forget(t);
        t.$rwFrames = frame.next;
        frame.restore(t);
    }

    // Values from outside

    public static long nanoTime(int site) {
        return time(System.nanoTime(), site);
    }

    public static long currentTimeMillis(int site) {
        return time(System.currentTimeMillis(), site);
    }

    private static long time(long time, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return ReweaveClock.quiet(t, time, site);
        ReweaveLog.value(t, VALUE, site, 0, 0, time);
        return time;
    }

    private static long value(long value, int site) {
        Thread t = Thread.currentThread();
        if (!off(t)) ReweaveLog.value(t, VALUE, site, 0, 0, value);
        return value;
    }

    // Numbers by which threads avoid each other, and seeds of random numbers

    public static int probe(int site) {
        Thread t = Thread.currentThread();
        return off(t) ? t.threadLocalRandomProbe : t.$rwProbe;
    }

    public static int advanceProbe(int probe, int site) {
        Thread t = Thread.currentThread();
        probe = ReweaveProbe.next(probe);
        if (off(t)) t.threadLocalRandomProbe = probe;
        else t.$rwProbe = probe;
        return probe;
    }

    public static void initProbe(int site) {
        Thread t = Thread.currentThread();
        if (off(t)) java.util.concurrent.ThreadLocalRandom.$rw$localInit();
        else seed(t, site);
    }

    public static java.util.concurrent.ThreadLocalRandom random(int site) {
        Thread t = Thread.currentThread();
        if (!off(t) && t.$rwProbe == 0) seed(t, site);
        return ReweaveProbe.current(t);
    }

    private static void seed(Thread t, int site) {
        ReweaveProbe.seed(t);
        t.$rwProbe = ReweaveProbe.first(t.$rwStream);
        ReweaveLog.value(t, VALUE, site, 0, 0, t.threadLocalRandomSeed);
    }

    public static int secondarySeed(int site) {
        Thread t = Thread.currentThread();
        int seed = ReweaveProbe.secondary(t);
        if (!off(t)) ReweaveLog.value(t, VALUE, site, 0, 0, seed);
        return seed;
    }

    public static java.util.Spliterator<?> spliterator(java.util.Collection<?> queue, int site) {
        return ReweaveBulk.spliterator(queue);
    }

    public static int number(int number, int site) {
        return (int) value(number, site);
    }

    public static long number(long number, int site) {
        return value(number, site);
    }

    /** Until when the thread that gets events from the display may wait for them. */
    public static long displayWait(long time, int site) {
        return time;
    }

    public static boolean answer(boolean answer, int site) {
        return value(answer ? 1 : 0, site) != 0;
    }

    public static double fraction(double fraction, int site) {
        value(Double.doubleToRawLongBits(fraction), site);
        return fraction;
    }

    public static long timeAdjustment(long offset, int site) {
        long adjustment = jdk.internal.misc.VM.getNanoTimeAdjustment(offset);
        time(offset * 1_000_000_000L + adjustment, site);
        return adjustment;
    }

    public static void randomBytes(java.security.SecureRandom random, byte[] bytes, int site) {
        Thread t = Thread.currentThread();
        boolean off = off(t);
        ReweaveQuiet.enter(t);
        try {
            random.$rw$nextBytes(bytes);
        } finally {
            ReweaveQuiet.leave(t);
        }
        if (off) return;
        for (int i = 0; i < bytes.length; i += 8) ReweaveLog.value(t, VALUE, site, 0, 0, ReweaveQuiet.eight(bytes, i));
    }

    /** The VM is about to set up the JDK. */
    public static void starting(int site) {
        ReweaveHash.start();
    }

    /** An identity hash that is asked for by name, or that the object does not have yet. Called by the agent. */
    static int hash(Object o) {
        if (!ready) return o instanceof Class && ReweaveHash.works() ? ReweaveHash.named((Class<?>) o) : ReweaveHash.original(o);
        Thread t = Thread.currentThread();
        int hash = ReweaveHash.named(t, o);
        if (hash != 0 || (hash = ReweaveHash.see(o)) > 0) return hash;
        if (off(t) || !ReweaveHash.works()) return ReweaveHash.original(o);
        ReweaveHash.lock();
        try {
            if ((hash = ReweaveHash.see(o)) > 0) return hash;
            long p = ReweaveLog.place(t);
            if (p == 0) return ReweaveHash.original(o);
            long me = t.$rwBias + (p >>> 3);
            hash = ReweaveHash.made(o, me);
            // All of them in one order: see the class of the same name in replay/. What this thread made itself before comes before anyway.
            boolean mine = lastHash >>> STREAM_SHIFT == t.$rwStream;
            ReweaveLog.value(t, VALUE, HASH_SITE, 0, mine ? 0 : lastHash, hash ^ ReweaveHash.mix(me));
            lastHash = me;
        } finally {
            ReweaveHash.unlock();
        }
        return hash;
    }

    /** The event of the hash that was made last. */
    private static long lastHash;

    // Values that belong to classes

    public static void madeClassValue(ClassValue<?> value, int site) {
        if (ready) ReweaveClassValue.made(value);
    }

    public static Object classValue(ClassValue<?> value, Class<?> type, int site) {
        Thread t = Thread.currentThread();
        return off(t) ? value.$rw$get(type) : ReweaveClassValue.get(t, value, type);
    }

    public static void removeClassValue(ClassValue<?> value, Class<?> type, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) value.$rw$remove(type);
        else ReweaveClassValue.remove(t, value, type);
    }

    public static void readVariable(String name, int site) {
        if (ready) ReweaveInput.variable(Thread.currentThread(), name);
    }

    public static void readEnvironment(int site) {
        if (ready) ReweaveInput.variable(Thread.currentThread(), "");
    }

    // References and finalizers

    public static void madeReference(Reference<?> r, Object referent, int site) {
        if (ready) ReweaveReference.made(r, referent, null);
    }

    public static void madeReference(Reference<?> r, Object referent, ReferenceQueue<?> queue, int site) {
        if (ready) ReweaveReference.made(r, referent, queue);
    }

    public static void madeQueue(ReferenceQueue<?> queue, int site) {
        if (ready) ReweaveReference.madeQueue(queue);
    }

    public static Object weakReferent(Reference<?> r, Object referent, int site) {
        return ready && ReweaveReference.isGone(r, referent == null) ? null : referent;
    }

    public static Object softReferent(SoftReference<?> r, int site) {
        Object referent = r.$rw$get();
        return ready && ReweaveReference.isGone(r, referent == null) ? null : referent;
    }

    public static boolean refersTo(Reference<Object> r, Object referent, int site) {
        boolean refers = r.$rw$refersTo(referent);
        return ready && referent == null ? ReweaveReference.isGone(r, refers) : refers;
    }

    public static Reference<?> poll(ReferenceQueue<?> queue, int site) {
        return ready ? ReweaveReference.poll(queue) : queue.$rw$poll();
    }

    public static Reference<?> remove(ReferenceQueue<?> queue, long millis, int site) throws InterruptedException {
        return ready ? ReweaveReference.remove(queue, millis, true) : queue.$rw$remove(millis);
    }

    public static Reference<?> remove(ReferenceQueue<?> queue, int site) throws InterruptedException {
        return ready ? ReweaveReference.remove(queue, 0, false) : queue.$rw$remove();
    }

    public static void madeFinalizer(Reference<?> finalizer, Object object, int site) {
        if (ready) ReweaveReference.madeFinalizer(finalizer, object);
    }

    public static void finalizerEnter() {}

    public static void finalizing(Reference<?> finalizer, int site) {
        if (ready) ReweaveReference.finalizing(finalizer);
    }

    public static void finalizerLeave() {
        if (ready) ReweaveReference.finalized();
    }

    // Output: once the VM ends no write may begin, and none is cut in half, so that the log tells exactly what was written.

    public static void output(FileOutputStream out, int b, int site) {
        Thread t = Thread.currentThread();
        if (skips(t, out)) return;
        byte[] one = {(byte) b};
        output(t, out, one, 0, 1, site);
    }

    public static void output(FileOutputStream out, byte[] bytes, int site) {
        Thread t = Thread.currentThread();
        if (skips(t, out) || bytes == null) return;
        output(t, out, bytes, 0, bytes.length, site);
    }

    public static void output(FileOutputStream out, byte[] bytes, int from, int length, int site) {
        Thread t = Thread.currentThread();
        if (skips(t, out) || bytes == null || from < 0 || length < 0 || from > bytes.length - length) return;
        output(t, out, bytes, from, length, site);
    }

    /** Whether this write is not recorded; if a thread outside the recording makes it, the user is told. */
    private static boolean skips(Thread t, FileOutputStream out) {
        if (!off(t)) return false;
        if (ready && t.$rwStream <= 0 && t.$rwQuiet == 0 && !toldOfOutput && ReweaveQuiet.descriptor(out) != 0) {
            toldOfOutput = true;
            ReweaveQuiet.enter(t);
            outsideOutput(t.getName());
            ReweaveQuiet.leave(t);
        }
        return true;
    }

    private static boolean toldOfOutput;
    /** A thread outside the recording writes to standard output or error. */
    static native void outsideOutput(String thread);

    private static void output(Thread t, FileOutputStream out, byte[] bytes, int from, int length, int site) {
        int descriptor = ReweaveQuiet.descriptor(out);
        if (descriptor == 0) return;
        ReweaveLog.U.getAndAddLong(null, writingCount, 1);
        if (closing) {
            ReweaveLog.U.getAndAddLong(null, writingCount, -1);
            blockForever();
        }
        t.$rwWriting = true;
        ReweaveLog.value(t, OUTPUT, site, descriptor, 0, (long) ReweaveQuiet.hash(bytes, from, length) << 32 | length);
    }

    public static void outputBegin() {}

    public static void outputEnd() {
        Thread t = Thread.currentThread();
        if (!ready || !t.$rwWriting) return;
        t.$rwWriting = false;
        ReweaveLog.U.getAndAddLong(null, writingCount, -1);
    }

    /** The VM is about to end: waits (a second at most) for writes under way and lets no other begin. */
    static void close() {
        closing = true;
        Thread.currentThread().$rwQuiet = 1 << 20;
        for (int i = 0; i < 1000 && ReweaveLog.U.getLongVolatile(null, writingCount) > 0; i++) ReweaveLog.U.park(false, 1_000_000L);
    }

    /** Somebody asked for the end of the program: System.exit or Runtime.halt. */
    public static void halt(Runtime runtime, int status, int site) {
        if (ready) ReweaveLog.value(Thread.currentThread(), HALT, site, 0, 0, status);
    }

    /** A class is new: it gets its hash before the VM makes one for purposes of its own. */
    public static void defined(ClassLoader loader, Class<?> type, java.security.ProtectionDomain domain, int site) {
        if (ready && type != null) ReweaveHash.named(Thread.currentThread(), type);
    }

    public static String[] childCommand(String[] command) {
        return ready ? ReweaveQuiet.childCommand(command) : command;
    }

    public static void quietEnter() {
        if (ready) ReweaveQuiet.enter(Thread.currentThread());
    }

    public static void quietLeave() {
        if (ready) ReweaveQuiet.leave(Thread.currentThread());
    }

    // Calls through the name of a class that was not loaded yet when its caller was: the call leaves a mark, and Thread's method finds it.

    public static void mark(int site) {
        if (ready) Thread.currentThread().$rwMark = site;
    }

    public static void unmark() {
        if (ready) Thread.currentThread().$rwMark = 0;
    }

    private static int take() {
        if (!ready) return 0;
        Thread t = Thread.currentThread();
        int site = t.$rwMark;
        if (site != 0) t.$rwMark = 0;
        return site;
    }

    public static void markedJoin(Thread target, long millis, int method) throws InterruptedException {
        int site = take();
        if (site == 0) target.$rw$join(millis);
        else join(target, millis, site);
    }

    public static boolean markedJoinFor(Thread target, java.time.Duration duration, int method) throws InterruptedException {
        int site = take();
        return site == 0 ? target.$rw$join(duration) : joinFor(target, duration, site);
    }

    public static boolean markedAlive(Thread target, int method) {
        int site = take();
        return site == 0 ? target.$rw$isAlive() : alive(target, site);
    }

    public static void markedInterrupt(Thread target, int method) {
        int site = take();
        if (site == 0) target.$rw$interrupt();
        else threadInterrupt(target, ReweaveQuiet.site(site));
    }

    public static boolean markedIsInterrupted(Thread target, int method) {
        int site = take();
        return site == 0 ? target.$rw$isInterrupted() : threadIsInterrupted(target, ReweaveQuiet.site(site));
    }

    public static boolean markedInterrupted(int method) {
        int site = take();
        return site == 0 ? Thread.$rw$interrupted() : interrupted(site);
    }

    // Method references to the operations above: `lock::notifyAll`, `Thread::sleep`. They have no site of their own.

    public static void await(Object o) throws InterruptedException { await(o, 0); }
    public static void await(Object o, long millis) throws InterruptedException { await(o, millis, 0); }
    public static void awaitFine(Object o, long millis, int nanos) throws InterruptedException { awaitFine(o, millis, nanos, 0); }
    public static void signal(Object o) { signal(o, 0); }
    public static void signalAll(Object o) { signalAll(o, 0); }
    public static void join(Thread target) throws InterruptedException { join(target, 0); }
    public static void join(Thread target, long millis) throws InterruptedException { join(target, millis, 0); }
    public static void joinFine(Thread target, long millis, int nanos) throws InterruptedException { joinFine(target, millis, nanos, 0); }
    public static boolean alive(Thread target) { return alive(target, 0); }
    public static void interrupt(Thread target) { interrupt(target, 0); }
    public static boolean interrupted() { return interrupted(0); }
    public static boolean isInterrupted(Thread target) { return isInterrupted(target, 0); }
    public static void sleep(long millis) throws InterruptedException { sleep(millis, 0); }
    public static void sleepFine(long millis, int nanos) throws InterruptedException { sleepFine(millis, nanos, 0); }
    public static boolean joinFor(Thread target, java.time.Duration duration) throws InterruptedException { return joinFor(target, duration, 0); }
    public static void sleepFor(java.time.Duration duration) throws InterruptedException { sleepFor(duration, 0); }
    public static void park() { park(0); }
    public static void park(Object blocker) { park(blocker, 0); }
    public static void parkNanos(long nanos) { parkNanos(nanos, 0); }
    public static void parkNanos(Object blocker, long nanos) { parkNanos(blocker, nanos, 0); }
    public static void parkUntil(long deadline) { parkUntil(deadline, 0); }
    public static void parkUntil(Object blocker, long deadline) { parkUntil(blocker, deadline, 0); }
    public static void unpark(Thread target) { unpark(target, 0); }
    public static long nanoTime() { return nanoTime(0); }
    public static long currentTimeMillis() { return currentTimeMillis(0); }
}
