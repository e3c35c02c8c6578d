package java.lang;

/** Works before anything else does: the agent puts the number of the run into this class before it defines it. */
public final class ReweaveSalt {
    /** The agent looks for this number. */
    static final long NUMBER = 0x7265776561766521L;

    private ReweaveSalt() {}

    public static long salt(int site) {
        return NUMBER;
    }

    /** Another one: some mix the two so that equal numbers would cancel out. */
    public static long otherSalt(int site) {
        return NUMBER * 0x9e3779b97f4a7c15L + 1;
    }
}
