package java.lang;

/** Arrays have no room for a word that says who used them last: their identity hash says which word of a table it is. */
final class ReweaveIds {
    /** Where a slot counts the arrays that its stream was the first to use. */
    static final int MADE = 48;
    /** Neighbouring words of the table that a stream claims together. */
    static final int BLOCK = 512;
    /** Words in the table; as in record.rs. The first is nobody's. */
    static final int WORDS = 1 << 22;

    private ReweaveIds() {}

    /** The hash of the array that is number k of those that the stream was the first to use; the same in a replay, where programs may see it. */
    static int of(int stream, long k) {
        int hash = (int) ((stream * 0x9e3779b1L & -BLOCK) + k) & 0x7fffffff;
        return (hash & WORDS - 1) == 0 ? hash | 1 : hash;
    }
}
