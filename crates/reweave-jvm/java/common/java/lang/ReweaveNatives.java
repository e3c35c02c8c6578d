package java.lang;

/** What recording and replay of the program's native methods share: which results and arguments can be kept. */
final class ReweaveNatives {
    /** Bits in the tag of an event: the method threw, and the replay's own result is the one to use. */
    static final int THREW = 1, OWN = 2;

    private ReweaveNatives() {}

    /** Whether it can be made again from the recording. */
    static boolean isKept(Object o) {
        if (o == null || o instanceof String || isArray(o)) return true;
        if (!(o instanceof String[])) return false;
        return o.getClass() == String[].class;
    }

    /** An array of numbers: native code may fill it. */
    static boolean isArray(Object o) {
        return o instanceof byte[] || o instanceof int[] || o instanceof long[] || o instanceof char[] || o instanceof short[] || o instanceof float[]
                || o instanceof double[] || o instanceof boolean[];
    }

    /** An exception that the JDK's own loader knows, with nothing in it but a text. */
    static boolean isKept(Throwable thrown) {
        return thrown.getClass().getClassLoader0() == null;
    }

    /** Bytes of an element, 0 if it is no array of numbers. */
    static int size(Object o) {
        if (o instanceof byte[] || o instanceof boolean[]) return 1;
        if (o instanceof char[] || o instanceof short[]) return 2;
        if (o instanceof int[] || o instanceof float[]) return 4;
        return o instanceof long[] || o instanceof double[] ? 8 : 0;
    }

    /** An element, as bits. */
    static long element(Object array, int i) {
        if (array instanceof int[]) return ((int[]) array)[i];
        if (array instanceof long[]) return ((long[]) array)[i];
        if (array instanceof byte[]) return ((byte[]) array)[i];
        if (array instanceof char[]) return ((char[]) array)[i];
        if (array instanceof short[]) return ((short[]) array)[i];
        if (array instanceof boolean[]) return ((boolean[]) array)[i] ? 1 : 0;
        if (array instanceof float[]) return Float.floatToRawIntBits(((float[]) array)[i]);
        return Double.doubleToRawLongBits(((double[]) array)[i]);
    }

    static void set(Object array, int i, long bits) {
        if (array instanceof int[]) ((int[]) array)[i] = (int) bits;
        else if (array instanceof long[]) ((long[]) array)[i] = bits;
        else if (array instanceof byte[]) ((byte[]) array)[i] = (byte) bits;
        else if (array instanceof char[]) ((char[]) array)[i] = (char) bits;
        else if (array instanceof short[]) ((short[]) array)[i] = (short) bits;
        else if (array instanceof boolean[]) ((boolean[]) array)[i] = bits != 0;
        else if (array instanceof float[]) ((float[]) array)[i] = Float.intBitsToFloat((int) bits);
        else ((double[]) array)[i] = Double.longBitsToDouble(bits);
    }

    /** Tells whether native code changed an array of numbers. */
    static long digest(Object array) {
        int length = java.lang.reflect.Array.getLength(array);
        long h = length;
        if (array instanceof byte[]) {
            for (byte one : (byte[]) array) h = (h ^ one) * 0x9e3779b97f4a7c15L;
            return h;
        }
        for (int i = 0; i < length; i++) h = (h ^ element(array, i)) * 0x9e3779b97f4a7c15L + (h >>> 29);
        return h;
    }
}
