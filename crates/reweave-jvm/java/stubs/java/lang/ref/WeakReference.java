package java.lang.ref;

/** What the helper sees of WeakReference when it is compiled. Never shipped. */
public class WeakReference<T> extends Reference<T> {
    /** Link of the event of its making, or 1 if it has no queue; 0 if it is not followed. */
    public long $rwMade;
    /** Replay: keeps the referent until the recording says that it is gone. */
    public Object $rwHeld;

    public WeakReference(T referent) {}
}
