package java.lang;

/** What the helper sees of ClassValue when it is compiled. Never shipped. */
public abstract class ClassValue<T> {
    /** What the program's threads got from it: a map, see {@link ReweaveClassValue}. */
    public Object $rwValues;
    public native T $rw$get(Class<?> type);
    public native void $rw$remove(Class<?> type);
    protected abstract T computeValue(Class<?> type);
}
