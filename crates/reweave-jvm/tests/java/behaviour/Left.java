public class Left {
    static void step(String text) { System.out.println(text); }

    synchronized void method(boolean fails) { if (fails) throw new UnsupportedOperationException("as asked"); step("method"); }

    static synchronized void ofClass() { step("static"); }

    void block(boolean fails) {
        synchronized (this) {
            if (fails) throw new UnsupportedOperationException("as asked");
            step("block");
        }
    }

    /** Does it once with a helper that fails when the monitor is free already: that must come out as it is, and not be taken for a monitor to be released. */
    static void broken(Runnable what) {
        Helper.broken = true;
        try {
            what.run();
        } catch (RuntimeException failure) {
            step(failure.getClass().getSimpleName() + " " + failure.getMessage());
        }
    }

    public static void main(String[] arguments) {
        Left left = new Left();
        left.method(false);
        left.block(false);
        ofClass();
        broken(() -> left.method(false));
        broken(() -> left.method(true));
        broken(() -> left.block(false));
        broken(() -> left.block(true));
        broken(Left::ofClass);
        step("free " + !Thread.holdsLock(left) + " " + !Thread.holdsLock(Left.class));
    }
}
