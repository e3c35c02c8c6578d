package java.lang;

/** What the helper sees of Class when it is compiled. Never shipped; see Thread. */
public final class Class<T> {
    /** High half: class id. Low half: offset of the order word in instances, or -1 if they have none; 0 not looked up yet. */
    public long $rwInfo;

    /** Replay: whether a use of this class need not wait for its static initialiser any more. */
    public boolean $rwTouched;

    /** Recording: offset of the memory word in instances, or -1 if they have none; 0 not looked up yet. */
    public long $rwMemory;

    /** Recording: how often instances were taken over by another thread than their first. */
    public int $rwTaken;

    native ClassLoader getClassLoader0();
    public native String getName();
    public native Class<? super T> getSuperclass();
    public native boolean isArray();
    public native boolean isPrimitive();
    public native boolean isInstance(Object o);
    public native Class<?> getComponentType();
    public native java.lang.reflect.Field[] getDeclaredFields();
    public static native Class<?> forName(String name, boolean initialise, ClassLoader loader) throws ClassNotFoundException;
}
