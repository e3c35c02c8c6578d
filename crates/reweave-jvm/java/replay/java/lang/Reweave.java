package java.lang;

import static java.lang.ReweaveEvent.*;

import java.io.FileOutputStream;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.util.concurrent.locks.LockSupport;

/**
 * What instrumented code calls while a run is replayed: wait for the event's turn, do the operation, say that it is done. What a turn is, is decided by the
 * runtime; a thread that has nothing more to follow stops in there. The class of the same name in record/ has the same methods; hooks.rs is the list of both.
 */
public final class Reweave {
    static boolean ready;
    private static boolean realTime;

    private Reweave() {}

    /** Waits for the turn of the stream's next event, which must be of that kind and site. An answer as in {@link ReweaveLight}. */
    static native int before(int stream, int kind, int site, Object object);
    /** The event that {@link #before} let pass is done. */
    static native void after(int stream);
    /** The acquire that {@link #before} let pass is done; true if others sleep for it, who are to be woken with {@link #wake}. */
    static native boolean acquiredBy(int stream);
    static native void wake(int stream);
    /** The value of the event that {@link #before} let pass. */
    static native long value(int stream);
    /** Compares the value of the event that {@link #before} let pass with what the program has now. */
    static native void check(int stream, long value);
    /** Stream of the static initialiser of the class with that hash; 0 if it did not run in the recording. */
    static native int classStream(int hash);
    /** Gives up the monitor however often it is held, and takes it again that often. */
    static native int release(Object o);
    static native void retake(Object o, int depth);
    /** 1 if that event is a notify. */
    static native int isNotify(long link);
    static native void ended(int stream);

    /** Thrown and caught at the event where the user wants the debugger to stop. */
    static final class Stop extends RuntimeException {}

    static void init(boolean real, boolean enforce, boolean salted, boolean effects, long slots, long flags, String[] childOptions) {
        realTime = real;
        ReweaveMemory.slots = slots;
        ReweaveMemory.flags = flags;
        ReweaveQuiet.childOptions = childOptions;
        ReweaveHash.init();
        ReweaveInput.init(effects);
        Thread main = Thread.currentThread();
        main.$rwStream = enforce ? 1 : -1;
        main.$rwSlot = ReweaveMemory.slot(main.$rwStream);
        ready = true;
        // A recording that was cut before its first event has none.
        if (salted) given(0, SALT_SITE);
        if (enforce) ReweaveReference.startFinalizers();
    }

    /** Called by the agent at the event that the user named: a debugger that waits for this exception starts here. */
    static void stop() {
        Thread t = Thread.currentThread();
        // The debugger's agent sets itself up in the middle of this, on this thread.
        ReweaveQuiet.enter(t);
        try {
            throw new Stop();
        } catch (Stop e) {
            return;
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    private static boolean off(Thread t) {
        return !ready || t.$rwStream <= 0 || t.$rwQuiet != 0;
    }

    static boolean turn(Thread t, int kind, int site, Object o) {
        if (t.$rwPending != 0) wakeOthers(t);
        int answer = before(t.$rwStream, kind, site, o);
        if (answer > ReweaveLight.GO) answer = ReweaveLight.turn(t, kind, site, o, answer);
        if (answer != ReweaveLight.OFF) return true;
        t.$rwStream = -1;
        t.$rwSlot = 0;
        return false;
    }

    // Monitors

    public static void acquiring(Object o, int site) {
        if (!ready || o == null) return;
        Thread t = Thread.currentThread();
        if (off(t) || !turn(t, ACQUIRE, site, o) || ReweaveHash.see(o) != 0) return;
        long seed = hashSeed(t.$rwStream);
        if (seed != 0) ReweaveHash.own(o, seed);
    }

    public static void acquired(Object o, int site) {
        if (!ready) return;
        Thread t = Thread.currentThread();
        if (off(t)) return;
        if (ReweaveObservation.on && o != null) ReweaveObservation.lock(t, ReweaveObservation.TAKEN, site, o);
        if (acquiredBy(t.$rwStream)) t.$rwPending = t.$rwStream;
    }

    /** A monitor is about to be left. */
    public static void releasing(Object o) {
        if (!ReweaveObservation.on || o == null) return;
        Thread t = Thread.currentThread();
        if (!off(t)) ReweaveObservation.lock(t, ReweaveObservation.LEFT, 0, o);
    }

    /** A monitor was left: whoever sleeps until its turn to take it can have it now. */
    public static void released() {
        if (!ready) return;
        Thread t = Thread.currentThread();
        if (t.$rwPending != 0) wakeOthers(t);
    }

    static void wakePending(Thread t) {
        if (t.$rwPending != 0) wakeOthers(t);
    }

    private static void wakeOthers(Thread t) {
        int stream = t.$rwPending;
        t.$rwPending = 0;
        wake(stream);
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
        if (off(t) || o == null || !Thread.holdsLock(o) || millis < 0 || nanos < 0 || nanos > 999999) {
            realWait(t, o, millis, nanos, form);
            return;
        }
        if (ReweaveObservation.on) ReweaveObservation.lock(t, ReweaveObservation.GIVEN_UP, site, o);
        int depth = release(o);
        if (!turn(t, WAIT, site, o)) {
            retake(o, depth);
            realWait(t, o, millis, nanos, form);
            return;
        }
        long outcome = value(t.$rwStream);
        if (realTime && outcome == TIMED_OUT) pause(millis, nanos);
        retake(o, depth);
        if (ReweaveObservation.on) ReweaveObservation.lock(t, ReweaveObservation.TAKEN_BACK, site, o);
        after(t.$rwStream);
        if (outcome == INTERRUPTED || outcome > SPURIOUS && isNotify(outcome) == 0) {
            if (ReweaveObservation.on) ReweaveObservation.note(t, ReweaveObservation.WAS_INTERRUPTED, site, t.$rwStream, 0);
            // The VM makes the exception, so that it looks as it did: frames, message and a cleared flag.
            t.$rw$interrupt();
            Object own = new Object();
            synchronized (own) {
                realWait(t, own, millis, nanos, form);
            }
        }
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
        if (!off(t) && o != null && Thread.holdsLock(o)) step(t, all ? NOTIFY_ALL : NOTIFY, site, o);
        try {
            if (all) o.notifyAll();
            else o.notify();
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        }
    }

    /** An event with nothing to be done in its turn; its value, or -1 if the thread is no longer enforced. */
    private static long step(Thread t, int kind, int site, Object o) {
        if (!turn(t, kind, site, o)) return -1;
        long value = value(t.$rwStream);
        if (ReweaveObservation.on) ReweaveObservation.step(t, kind, site, o, value);
        after(t.$rwStream);
        return value;
    }

    // Threads

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
        boolean outside = outside(child.getName()) != 0;
        ReweaveQuiet.leave(t);
        child.$rwStream = outside ? -1 : (int) step(t, START, site, child);
        child.$rwSlot = ReweaveMemory.slot(child.$rwStream);
        if (child.$rwStream > 0 && ReweaveQuiet.isVirtual(child)) ReweaveLight.prepare(t, child);
    }

    private static void startSource(Thread t, Thread child) {
        ReweaveQuiet.enter(t);
        int id = sourceStream(child.getName());
        if (id > 0) {
            child.$rwStream = id;
            child.$rwSlot = ReweaveMemory.slot(id);
        }
        ReweaveQuiet.leave(t);
    }

    /** Stream of a thread that no recorded thread started, by its name; 0 if there is none left. */
    static native int sourceStream(String name);

    static native int outside(String name);

    public static void hook(Thread child, int site) {
        if (!ready || child == null || child.$rwStream != 0) return;
        Thread t = Thread.currentThread();
        if (off(t)) return;
        child.$rwStream = (int) step(t, HOOK, site, child);
        child.$rwSlot = ReweaveMemory.slot(child.$rwStream);
    }

    public static void exit(Thread t, int site) {
        if (!ready || t.$rwStream <= 0) return;
        if (t.$rwQuiet == 0 && turn(t, EXIT, site, t)) end(t, site);
        if (t.$rwStream > 0) ended(t.$rwStream);
        t.$rwSlot = 0;
        t.$rwQuiet = 1 << 20;
    }

    // Virtual threads: what is left to do at their end, others do for them.

    public static void virtualBegin() {}

    public static void virtualEnd() {
        if (!ready) return;
        Thread t = Thread.currentThread();
        if (!off(t) && turn(t, EXIT, 0, t)) end(t, 0);
    }

    private static void end(Thread t, int site) {
        if (ReweaveObservation.on) ReweaveObservation.note(t, ReweaveObservation.ENDED, site, 0, 0);
        after(t.$rwStream);
    }

    public static void virtualDone(VirtualThread virtual, boolean notifyContainer, int site) {
        if (!ready || virtual.$rwStream <= 0 || Thread.currentThread().$rwStream > 0) virtual.$rw$afterDone(notifyContainer);
        else ReweaveLight.end(virtual, notifyContainer);
    }

    public static void countDown(java.util.concurrent.CountDownLatch latch, int site) {
        ReweaveQuiet.countDown(latch);
    }

    public static void uncaught(Thread t, Throwable thrown, int site) {
        Thread current = Thread.currentThread();
        if (!off(current)) step(current, UNCAUGHT, site, null);
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
        if (off(t) || target == null || millis < 0 || nanos < 0 || nanos > 999999) {
            realJoin(t, target, millis, nanos, form);
            return;
        }
        long value = step(t, JOIN, site, target);
        if (value == -1) {
            realJoin(t, target, millis, nanos, form);
            return;
        }
        switch ((int) value & 0xff) {
            case DONE:
                untilDead(t, target);
                return;
            case INTERRUPTED:
                t.$rw$interrupt();
                realJoin(t, t, millis, nanos, form);
                return;
            default:
                if (realTime) pause(millis, nanos);
        }
    }

    /** The target's last event is done, but the VM may still be taking it down. */
    private static void untilDead(Thread t, Thread target) {
        if (!target.$rw$isAlive()) return;
        ReweaveQuiet.enter(t);
        boolean flag = Thread.$rw$interrupted();
        while (target.$rw$isAlive()) {
            try {
                target.join(0);
            } catch (InterruptedException e) {
                flag = true;
            }
        }
        if (flag) t.$rw$interrupt();
        ReweaveQuiet.leave(t);
    }

    private static void realJoin(Thread t, Thread target, long millis, int nanos, int form) throws InterruptedException {
        ReweaveQuiet.enter(t);
        try {
            switch (form) {
                case 1: target.join(); break;
                case 2: target.join(millis); break;
                default: target.join(millis, nanos);
            }
        } catch (InterruptedException | RuntimeException e) {
            throw ReweaveQuiet.rethrow(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    public static boolean joinFor(Thread target, java.time.Duration duration, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        long value = off(t) || target == null ? -1 : step(t, JOIN, site, target);
        if (value != -1 && ((int) value & 0xff) == DONE) {
            untilDead(t, target);
            return true;
        }
        if (value != -1 && ((int) value & 0xff) == TIMED_OUT) {
            if (realTime) pause(duration.toMillis(), 0);
            return false;
        }
        if (value != -1) t.$rw$interrupt();
        ReweaveQuiet.enter(t);
        try {
            return (value == -1 ? target : t).join(duration);
        } catch (InterruptedException | RuntimeException e) {
            throw ReweaveQuiet.rethrow(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    public static boolean alive(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (target == null) ReweaveQuiet.noThread(t);
        if (off(t)) return target.$rw$isAlive();
        long value = step(t, VALUE, site, target);
        if (value == -1) return target.$rw$isAlive();
        if (value == 0 && target.$rwStream > 0) untilDead(t, target);
        return value != 0;
    }

    public static void interrupt(Thread target, int site) {
        ReweaveQuiet.interrupt(target, site);
    }

    private static void threadInterrupt(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (!off(t)) step(t, INTERRUPT, site, target);
        target.$rw$interrupt();
    }

    public static boolean interrupted(int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return Thread.$rw$interrupted();
        long value = step(t, INTERRUPT_CHECK, site, t);
        if (value == -1) return Thread.$rw$interrupted();
        if ((value & 1) != 0) Thread.$rw$interrupted();
        return (value & 1) != 0;
    }

    public static boolean isInterrupted(Thread target, int site) {
        return ReweaveQuiet.isInterrupted(target, site);
    }

    private static boolean threadIsInterrupted(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return target.$rw$isInterrupted();
        long value = step(t, INTERRUPT_CHECK, site, target);
        return value == -1 ? target.$rw$isInterrupted() : (value & 1) != 0;
    }

    public static void sleep(long millis, int site) throws InterruptedException {
        sleep(millis, 0, false, site);
    }

    public static void sleepFine(long millis, int nanos, int site) throws InterruptedException {
        sleep(millis, nanos, true, site);
    }

    private static void sleep(long millis, int nanos, boolean fine, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        if (off(t) || millis < 0 || nanos < 0 || nanos > 999999) {
            realSleep(t, millis, nanos, fine);
            return;
        }
        long value = step(t, SLEEP, site, null);
        if (value == -1) realSleep(t, millis, nanos, fine);
        else if (value == INTERRUPTED) {
            t.$rw$interrupt();
            realSleep(t, millis, nanos, fine);
        } else if (realTime) pause(millis, nanos);
    }

    private static void realSleep(Thread t, long millis, int nanos, boolean fine) throws InterruptedException {
        ReweaveQuiet.enter(t);
        try {
            if (fine) Thread.sleep(millis, nanos);
            else Thread.sleep(millis);
        } catch (InterruptedException | RuntimeException e) {
            throw ReweaveQuiet.rethrow(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    public static void sleepFor(java.time.Duration duration, int site) throws InterruptedException {
        Thread t = Thread.currentThread();
        long value = off(t) ? -1 : step(t, SLEEP, site, null);
        if (value == DONE) {
            if (realTime) pause(duration.toMillis(), 0);
            return;
        }
        if (value == INTERRUPTED) t.$rw$interrupt();
        ReweaveQuiet.enter(t);
        try {
            Thread.sleep(duration);
        } catch (InterruptedException | RuntimeException e) {
            throw ReweaveQuiet.rethrow(t, e);
        } finally {
            ReweaveQuiet.leave(t);
        }
    }

    /** Lets time pass without being an event. */
    private static void pause(long millis, int nanos) {
        long until = System.nanoTime() + millis * 1_000_000L + nanos;
        for (long left; (left = until - System.nanoTime()) > 0; ) jdk.internal.misc.Unsafe.getUnsafe().park(false, left);
    }

    // Park: the turn is all there is to wait for. A real permit is still given, for parks that are not followed.

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
        if (!off(t) && step(t, PARK, site, t) != -1) return;
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
    }

    public static void unpark(Thread target, int site) {
        Thread t = Thread.currentThread();
        if (!off(t) && target != null) step(t, UNPARK, site, target);
        LockSupport.unpark(target);
    }

    // Class initialisation

    static final class Frame {
        final Frame next;
        final int stream, quiet;
        final long slot;

        Frame(Thread t, Frame next) {
            this.next = next;
            slot = t.$rwSlot;
            stream = t.$rwStream;
            quiet = t.$rwQuiet;
        }
    }

    /** Before a use of a class that may initialise it: the thread that ran its initialiser goes on, others wait until that one has begun. */
    public static void touch(Class<?> type) {
        if (!ready || type.$rwTouched) return;
        Thread t = Thread.currentThread();
        if (off(t)) return;
        if (t.$rwPending != 0) wakeOthers(t);
        // A superclass is initialised first.
        Class<?> parent = type.getSuperclass();
        if (parent != null && !parent.$rwTouched) touch(parent);
        int begun = begun(type, t.$rwStream);
        if (begun == ReweaveLight.LATER) begun = ReweaveLight.begun(t, type);
        if (begun == ReweaveLight.GO) type.$rwTouched = true;
    }

    /** The class is about to be initialised by code of the JDK, which is quiet already. */
    public static void touchEnum(Class<?> type, int site) {
        if (!ready || type.$rwTouched) return;
        Thread t = Thread.currentThread();
        if (t.$rwQuiet != 1) return;
        ReweaveQuiet.leave(t);
        touch(type);
        ReweaveQuiet.enter(t);
    }

    /** Waits until the static initialiser of the class has begun, or is this stream's to run. GO if it has begun, or never ran. */
    static native int begun(Class<?> type, int stream);

    public static void initialiserEnter(int hash) {
        if (!ready) return;
        Thread t = Thread.currentThread();
        t.$rwFrames = new Frame(t, (Frame) t.$rwFrames);
        int id = classStream(hash);
        t.$rwStream = id == 0 ? -1 : id;
        t.$rwSlot = ReweaveMemory.slot(id);
        t.$rwQuiet = 0;
        if (id != 0) step(t, CLASS_INIT, 0, null);
    }

    public static void initialiserLeave() {
        if (!ready) return;
        Thread t = Thread.currentThread();
        Frame frame = (Frame) t.$rwFrames;
        if (frame == null) return;
        if (t.$rwStream > 0) step(t, CLASS_INIT_END, 0, null);
        if (t.$rwStream > 0) ended(t.$rwStream);
        t.$rwFrames = frame.next;
        t.$rwSlot = frame.slot;
        t.$rwStream = frame.stream;
        t.$rwQuiet = frame.quiet;
    }

    // Values from outside

    public static long nanoTime(int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return ReweaveClock.quiet(t, ReweaveClock.NANOS, System.nanoTime(), site);
        return turn(t, VALUE, site, null) ? read(t) : System.nanoTime();
    }

    public static long currentTimeMillis(int site) {
        Thread t = Thread.currentThread();
        if (off(t)) return ReweaveClock.quiet(t, ReweaveClock.MILLIS, System.currentTimeMillis(), site);
        return turn(t, VALUE, site, null) ? read(t) : System.currentTimeMillis();
    }

    private static long read(Thread t) {
        long value = value(t.$rwStream);
        after(t.$rwStream);
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
        int first = ReweaveProbe.first(t.$rwStream);
        if (!turn(t, VALUE, site, null)) return;
        t.$rwProbe = first;
        t.threadLocalRandomSeed = read(t);
    }

    public static int secondarySeed(int site) {
        Thread t = Thread.currentThread();
        int seed = ReweaveProbe.secondary(t);
        return off(t) || !turn(t, VALUE, site, null) ? seed : (int) read(t);
    }

    public static java.util.Spliterator<?> spliterator(java.util.Collection<?> queue, int site) {
        return ReweaveBulk.spliterator(queue);
    }

    public static int number(int number, int site) {
        return (int) given(number, site);
    }

    public static long number(long number, int site) {
        return given(number, site);
    }

    /** Until when the thread that gets events from the display may wait for them. */
    public static long displayWait(long time, int site) {
        // Now: native code takes the difference for a number of 32 bits.
        return off(Thread.currentThread()) ? time : System.currentTimeMillis() - 1;
    }

    public static boolean answer(boolean answer, int site) {
        return given(answer ? 1 : 0, site) != 0;
    }

    public static double fraction(double fraction, int site) {
        return Double.longBitsToDouble(given(Double.doubleToRawLongBits(fraction), site));
    }

    static long given(long own, int site) {
        Thread t = Thread.currentThread();
        return off(t) || !turn(t, VALUE, site, null) ? own : read(t);
    }

    public static long timeAdjustment(long offset, int site) {
        Thread t = Thread.currentThread();
        boolean off = off(t);
        if (!off && turn(t, VALUE, site, null)) return read(t) - offset * 1_000_000_000L;
        long adjustment = jdk.internal.misc.VM.getNanoTimeAdjustment(offset);
        return off ? ReweaveClock.quiet(t, ReweaveClock.WALL, offset * 1_000_000_000L + adjustment, site) - offset * 1_000_000_000L : adjustment;
    }

    public static void randomBytes(java.security.SecureRandom random, byte[] bytes, int site) {
        Thread t = Thread.currentThread();
        boolean off = off(t);
        ReweaveQuiet.enter(t);
        try {
            // Also in a replay: what it sets up has to be there.
            random.$rw$nextBytes(bytes);
        } finally {
            ReweaveQuiet.leave(t);
        }
        if (off) return;
        for (int i = 0; i < bytes.length; i += 8) {
            if (!turn(t, VALUE, site, null)) return;
            ReweaveQuiet.putEight(bytes, i, read(t));
        }
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
        if (hash != 0) return hash;
        return off(t) || !ReweaveHash.works() ? ReweaveHash.original(o) : made(t, o);
    }

    /**
     * Either this thread made the hash when the run was recorded, or it found one that another thread had made. Nothing says which, but all makings are in one order:
     * whatever this thread found was made before what it makes next. So if the object has none when it is the turn of this thread's next making, that is the one. Until
     * then either may come, and the turn alone must not be waited for: it can depend on what this thread does before.
     */
    private static int made(Thread t, Object o) {
        long steps = 0;
        for (int tries = 0, idle = 0; ; tries++) {
            // Asked before the object is looked at: what was made before that turn is there then.
            int next = nextHash(t.$rwStream), hash = ReweaveHash.peek(o);
            if (hash > 0) return hash;
            if (next == ReweaveLight.GO && (hash == 0 || tries > 1000) || next == ReweaveLight.LATER && tries > LONG) {
                if (!turn(t, VALUE, HASH_SITE, null)) return ReweaveHash.original(o);
                // Told when it is there: another thread that finds none after this would take its own next one for it.
                hash = ReweaveHash.install(o, madeHash(t.$rwStream));
                after(t.$rwStream);
                return hash;
            }
            // If nobody makes it and nothing goes on, the recorder itself may have: such a hash is not the program's.
            if (next == ReweaveLight.OFF && (idle > 4000 || tries > LONG)) return ReweaveHash.original(o);
            long now = steps();
            idle = now == steps ? idle + 1 : 0;
            steps = now;
            if (tries > 100) jdk.internal.misc.Unsafe.getUnsafe().park(false, 50_000L);
            else Thread.yield();
        }
    }

    /** About 20 seconds. */
    private static final int LONG = 200_000;

    /** Number of events of all threads so far. */
    private static native long steps();
    /** Whether the stream's next event is the making of a hash, and its turn has come (GO) or not yet (LATER). */
    static native int nextHash(int stream);
    /** The hash that the stream's next event is the making of. */
    private static native int madeHash(int stream);
    /** What the recorder made a hash of when it saw the object of the stream's next event, or 0. */
    static native long hashSeed(int stream);

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

    public static void readVariable(String name, int site) {}

    public static void readEnvironment(int site) {}

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

    // Output

    public static void output(FileOutputStream out, int b, int site) {
        byte[] one = {(byte) b};
        output(out, one, 0, 1, site);
    }

    public static void output(FileOutputStream out, byte[] bytes, int site) {
        if (bytes != null) output(out, bytes, 0, bytes.length, site);
    }

    public static void output(FileOutputStream out, byte[] bytes, int from, int length, int site) {
        Thread t = Thread.currentThread();
        if (off(t) || bytes == null || from < 0 || length < 0 || from > bytes.length - length) return;
        if (ReweaveQuiet.descriptor(out) == 0 || !turn(t, OUTPUT, site, null)) return;
        check(t.$rwStream, (long) ReweaveQuiet.hash(bytes, from, length) << 32 | length);
        t.$rwWriting = true;
    }

    public static void outputBegin() {}

    /** The event counts as done only now, so that the VM does not end before the bytes are out. */
    public static void outputEnd() {
        if (!ready) return;
        Thread t = Thread.currentThread();
        if (!t.$rwWriting) return;
        t.$rwWriting = false;
        after(t.$rwStream);
    }

    public static void acquiredOutside(Object o, int site) {}

    public static void halt(Runtime runtime, int status, int site) {
        Thread t = Thread.currentThread();
        if (!off(t)) step(t, HALT, site, null);
    }

    /** A class is new: it gets its hash before the VM makes one for purposes of its own. */
    public static void defined(ClassLoader loader, Class<?> type, java.security.ProtectionDomain domain, int site) {
        if (ready && type != null) ReweaveHash.named(Thread.currentThread(), type);
    }

    public static String[] childCommand(String[] command) {
        return ready ? ReweaveQuiet.childCommand(ReweaveChildren.withOurPid(command)) : command;
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
