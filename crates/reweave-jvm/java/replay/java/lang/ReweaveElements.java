package java.lang;

import jdk.internal.misc.Unsafe;

/** Elements of arrays: which one an offset means, and what is in it. */
final class ReweaveElements {
    /** Where arrays with elements of 1, 2, 4, 8 bytes begin. Looked for: of the method that says so the JDKs have different forms. */
    private static final long[] base = new long[9];

    private ReweaveElements() {}

    static void init() {
        Unsafe u = ReweaveMemory.Memory.U;
        byte[] bytes = new byte[8];
        short[] shorts = new short[8];
        int[] ints = new int[8];
        long[] longs = new long[8];
        for (int at = 8; at < 32; at++) {
            boolean one = base[1] == 0, two = base[2] == 0 && at % 2 == 0, four = base[4] == 0 && at % 4 == 0, eight = base[8] == 0 && at % 8 == 0;
            // Whatever else stands there does not follow a change.
            for (int mark = 81; mark < 84; mark++) {
                bytes[0] = (byte) mark;
                shorts[0] = (short) mark;
                longs[0] = ints[0] = mark;
                one = one && u.getByte(bytes, at) == mark;
                two = two && u.getShort(shorts, at) == mark;
                four = four && u.getInt(ints, at) == mark;
                eight = eight && u.getLong(longs, at) == mark;
            }
            if (one) base[1] = at;
            if (two) base[2] = at;
            if (four) base[4] = at;
            if (eight) base[8] = at;
        }
    }

    static int index(Class<?> type, long at) {
        int scale = ReweaveMemory.Memory.U.arrayIndexScale(type);
        return (int) ((at - base[scale]) / scale);
    }

    /** As bits; of an object its number. */
    static long value(Thread t, Object array, int index) {
        switch (array.getClass().getName().charAt(1)) {
            case 'Z': return ((boolean[]) array)[index] ? 1 : 0;
            case 'B': return ((byte[]) array)[index];
            case 'S': return ((short[]) array)[index];
            case 'C': return ((char[]) array)[index];
            case 'I': return ((int[]) array)[index];
            case 'J': return ((long[]) array)[index];
            case 'F': return Float.floatToRawIntBits(((float[]) array)[index]);
            case 'D': return Double.doubleToRawLongBits(((double[]) array)[index]);
            default: return ReweaveObjects.orNone(t, ((Object[]) array)[index]);
        }
    }
}
