package java.lang;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;

/** The words that the agent added to references. Finalizers are references, too, of a class that cannot be named here. */
final class ReweaveMade {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** Of a reference without a queue. */
    static final long NO_QUEUE = 1;
    private static long finalizerMade, finalizerHeld;

    private ReweaveMade() {}

    /** What the program or a library of the JDK that it uses can ask whether it is gone. References of other classes are the VM's business. */
    static boolean isProgram(Class<?> type) {
        return type == WeakReference.class || type == SoftReference.class || type.getClassLoader0() != null || type.getName().startsWith("java.util.");
    }

    static long of(Reference<?> r) {
        if (r instanceof WeakReference) return ((WeakReference<?>) r).$rwMade;
        if (r instanceof SoftReference) return ((SoftReference<?>) r).$rwMade;
        if (r instanceof PhantomReference) return ((PhantomReference<?>) r).$rwMade;
        return finalizerMade == 0 ? 0 : U.getLong(r, finalizerMade);
    }

    static void set(Reference<?> r, long made) {
        if (r instanceof WeakReference) ((WeakReference<?>) r).$rwMade = made;
        else if (r instanceof SoftReference) ((SoftReference<?>) r).$rwMade = made;
        else if (r instanceof PhantomReference) ((PhantomReference<?>) r).$rwMade = made;
        else {
            if (finalizerMade == 0) {
                finalizerHeld = U.objectFieldOffset(r.getClass(), "$rwHeld");
                finalizerMade = U.objectFieldOffset(r.getClass(), "$rwMade");
            }
            U.putLong(r, finalizerMade, made);
        }
    }

    static void hold(Reference<?> r, Object referent) {
        if (r instanceof WeakReference) ((WeakReference<?>) r).$rwHeld = referent;
        else if (r instanceof SoftReference) ((SoftReference<?>) r).$rwHeld = referent;
        else if (r instanceof PhantomReference) ((PhantomReference<?>) r).$rwHeld = referent;
        else U.putReference(r, finalizerHeld, referent);
    }
}
