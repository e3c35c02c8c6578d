package java.lang;

/** Numbers of the trace format that the helper writes or expects. A test compares them with reweave-trace. */
final class ReweaveEvent {
    static final int ACQUIRE = 1, WAIT = 2, NOTIFY = 3, NOTIFY_ALL = 4, START = 5, EXIT = 6, JOIN = 7, INTERRUPT = 8, INTERRUPT_CHECK = 9,
            SLEEP = 10, PARK = 11, UNPARK = 12, CLASS_INIT = 13, CLASS_INIT_END = 14, VALUE = 15, OUTPUT = 16, UNCAUGHT = 17, HALT = 18,
            HOOK = 19, FOREIGN = 20, REPEAT = 21, ORDER = 22, INPUT = 41;
    static final int SHORT = 1, LINKED = 2, VALUED = 3;
    static final int KIND_SHIFT = 32, FORM_SHIFT = 38, TAG_SHIFT = 40, STREAM_SHIFT = 40, TAG_BITS = 24;
    /** Object tag of an object that shares a cell with others. */
    static final int SHARED_TAG = 0x800000;
    /** Site of the values that are identity hash codes. */
    static final int HASH_SITE = 2;
    /** Site of the value from which immutable collections take their order. */
    static final int SALT_SITE = 3;
    /** Sites of the values that Runtime gives: processors, most memory, free memory, memory in all. */
    static final int FIRST_FIGURE_SITE = 4;
    /** Sites of values about references: one was made that has a queue, one was found empty, one came out of a queue at once or after a wait, an object was finalized. */
    static final int MADE_SITE = 8, GONE_SITE = 9, POLLED_SITE = 10, REMOVED_SITE = 11, FINALIZED_SITE = 12;
    /** Sites of facts that are properties of the machine and its user, in the order of ReweaveRuntime.PROPERTIES. */
    static final int FIRST_PROPERTY_SITE = 32;
    /** Outcomes of wait, sleep and join that are not links. */
    static final int DONE = 0, TIMED_OUT = 1, INTERRUPTED = 2, SPURIOUS = 3;

    private ReweaveEvent() {}
}
