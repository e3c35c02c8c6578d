/** Not a program: material for tests that need class files. */
abstract class Native {
    @Deprecated
    synchronized native int get(long place, Object... more);
    static synchronized native void put();
    abstract void nothing();
}
