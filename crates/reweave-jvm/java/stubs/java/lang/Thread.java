package java.lang;

/**
 * What the helper sees of Thread when it is compiled: the members it uses and the fields that the agent adds. Never shipped;
 * hooks.rs holds the list of added fields and a test compares the two.
 */
public class Thread implements Runnable {
    Thread() {}
    Thread(String name) {}
    public final native void setDaemon(boolean on);
    public native void start();
    /** Recording: where the next event goes. */
    public long $rwPos;
    /** Recording: the last address at which the longest event still fits; 0 while nothing is to be recorded. */
    public long $rwEnd;
    /** Recording: what is added to {@code address >>> 3} to get the event's link. */
    public long $rwBias;
    /** Recording: $rwEnd while the thread is quiet. */
    public long $rwSaved;
    /** Last event on this thread's permit and interrupt flag. */
    public long $rwSignal;
    /** Link of this thread's exit event. */
    public long $rwExit;
    /** Where the thread counts its accesses to memory; 0 if they do not matter. */
    public long $rwSlot;
    /** Recording: how far the accesses of other threads are known to be. */
    public long $rwSeen;
    /** How often the thread asked for what the collector may have taken. */
    public long $rwAsked;
    /** What striped tables get as this thread's number while it does what the program says; 0 until the first asks. */
    public int $rwProbe;
    int threadLocalRandomProbe;
    long threadLocalRandomSeed;
    /** 0 not decided, -1 outside the recording, else the stream. */
    public int $rwStream;
    /** Depth of quiet sections: events inside are not the program's. */
    public int $rwQuiet;
    /** Site of a call under way that may be one of Thread's methods; 0 if none. */
    public int $rwMark;
    /** Replay: a stream of this thread whose last event others sleep for; they are woken when its lock is free. */
    public int $rwPending;
    /** Locks without an order word that this thread took lately. */
    public Object $rwCache;
    /** Saved streams of the static initialisers this thread is inside of. */
    public Object $rwFrames;
    /** Whether this thread is inside a recorded write to standard output or error. */
    public boolean $rwWriting;

    public static native Thread currentThread();
    public static native boolean holdsLock(Object o);
    public static native boolean interrupted();
    public static native void sleep(long millis) throws InterruptedException;
    public static native void sleep(long millis, int nanos) throws InterruptedException;
    public static native void sleep(java.time.Duration duration) throws InterruptedException;
    public native boolean isInterrupted();
    public native void interrupt();
    public final native boolean isAlive();
    public final native void join() throws InterruptedException;
    public final native void join(long millis) throws InterruptedException;
    public final native void join(long millis, int nanos) throws InterruptedException;
    public final native boolean join(java.time.Duration duration) throws InterruptedException;
    public final native void $rw$join(long millis) throws InterruptedException;
    public final native boolean $rw$join(java.time.Duration duration) throws InterruptedException;
    public final native boolean $rw$isAlive();
    public native void $rw$interrupt();
    public native boolean $rw$isInterrupted();
    public static native boolean $rw$interrupted();
    public final native String getName();
    public native void run();
    public static native void onSpinWait();
    public static native void yield();
}
