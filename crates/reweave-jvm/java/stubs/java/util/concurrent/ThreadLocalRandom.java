package java.util.concurrent;

/** What the helper sees of ThreadLocalRandom when it is compiled. Never shipped; see Thread. */
public class ThreadLocalRandom extends java.util.Random {
    public static native ThreadLocalRandom $rw$current();
    public static native void $rw$localInit();
    public static native int $rw$nextSecondarySeed();
}
