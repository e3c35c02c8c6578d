package java.lang.ref;

/** What the helper sees of ReferenceQueue when it is compiled. Never shipped. */
public class ReferenceQueue<T> {
    /** Whether the program made it, so that what comes out of it is recorded. */
    public boolean $rwFollowed;
    public native Reference<? extends T> $rw$poll();
    public native Reference<? extends T> $rw$remove(long millis) throws InterruptedException;
    public native Reference<? extends T> $rw$remove() throws InterruptedException;
}
