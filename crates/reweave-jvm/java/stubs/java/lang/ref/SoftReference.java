package java.lang.ref;

/** What the helper sees of SoftReference when it is compiled. Never shipped. */
public class SoftReference<T> extends Reference<T> {
    /** As in WeakReference. */
    public long $rwMade;
    public Object $rwHeld;
    public native T $rw$get();
}
