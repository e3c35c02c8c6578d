package java.lang.ref;

/** What the helper sees of Reference when it is compiled. Never shipped. */
public abstract class Reference<T> {
    public native T get();
    public final native boolean $rw$refersTo(T referent);
}
