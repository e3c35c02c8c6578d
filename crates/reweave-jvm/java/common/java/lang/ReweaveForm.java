package java.lang;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;

/**
 * Results, exceptions and filled objects as bytes, and back: small objects of the JDK, with whatever they lead to. An object is its class and its fields, and needs
 * no constructor. The caller is quiet.
 */
final class ReweaveForm {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final int NULL = 0, AGAIN = 1, STRING = 2, LONG = 3, BYTES = 4, INTS = 5, LONGS = 6, OBJECTS = 7, OBJECT = 8, THROWABLE = 9, ENUM = 10, NUMBERS = 11;

    private byte[] bytes;
    private int at;
    private Object[] seen = new Object[8];
    private int count;

    ReweaveForm() {
        bytes = new byte[128];
    }

    ReweaveForm(byte[] bytes) {
        this.bytes = bytes;
    }

    byte[] toBytes() {
        byte[] exact = new byte[at];
        System.arraycopy(bytes, 0, exact, 0, at);
        return exact;
    }

    // Numbers

    private void room(int more) {
        if (at + more <= bytes.length) return;
        byte[] larger = new byte[Math.max(bytes.length * 2, at + more)];
        System.arraycopy(bytes, 0, larger, 0, at);
        bytes = larger;
    }

    void put(long value, int size) {
        room(size);
        for (int i = 0; i < size; i++) bytes[at++] = (byte) (value >>> 8 * i);
    }

    long take(int size) {
        long value = 0;
        for (int i = 0; i < size; i++) value |= (bytes[at++] & 0xffL) << 8 * i;
        return value;
    }

    private void putText(String text) {
        put(text.length(), 4);
        for (int i = 0; i < text.length(); i++) put(text.charAt(i), 2);
    }

    private String takeText() {
        char[] chars = new char[(int) take(4)];
        for (int i = 0; i < chars.length; i++) chars[i] = (char) take(2);
        return new String(chars);
    }

    private void remember(Object o) {
        if (count == seen.length) {
            Object[] larger = new Object[count * 2];
            System.arraycopy(seen, 0, larger, 0, count);
            seen = larger;
        }
        seen[count++] = o;
    }

    // Objects

    void write(Object o) {
        // A class belongs to its run: the VM leaves one in the elements of stack traces that it makes, and nobody looks at it there.
        if (o == null || o instanceof Class) {
            put(NULL, 1);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (seen[i] == o) {
                put(AGAIN, 1);
                put(i, 4);
                return;
            }
        }
        remember(o);
        if (o instanceof String) {
            put(STRING, 1);
            putText((String) o);
        } else if (o instanceof Long) {
            put(LONG, 1);
            put((Long) o, 8);
        } else if (o instanceof byte[] || o instanceof int[] || o instanceof long[]) {
            put(o instanceof byte[] ? BYTES : o instanceof int[] ? INTS : LONGS, 1);
            put(length(o), 4);
            writeElements(o);
        } else if (ReweaveNatives.isArray(o)) {
            put(NUMBERS, 1);
            putText(o.getClass().getComponentType().getName());
            put(length(o), 4);
            writeElements(o);
        } else if (o instanceof Object[]) {
            put(OBJECTS, 1);
            putText(o.getClass().getComponentType().getName());
            put(length(o), 4);
            writeElements(o);
        } else if (o instanceof Enum) {
            put(ENUM, 1);
            putText(((Enum<?>) o).getDeclaringClass().getName());
            putText(((Enum<?>) o).name());
        } else {
            boolean thrown = o instanceof Throwable;
            put(thrown ? THROWABLE : OBJECT, 1);
            putText(o.getClass().getName());
            if (thrown) write(U.getReference(o, U.objectFieldOffset(Throwable.class, "detailMessage")));
            writeFields(o);
        }
    }

    Object read() {
        int kind = (int) take(1);
        switch (kind) {
            case NULL: return null;
            case AGAIN: return seen[(int) take(4)];
            case STRING: return known(takeText());
            case LONG: return known(take(8));
            case BYTES: return elements(new byte[(int) take(4)]);
            case INTS: return elements(new int[(int) take(4)]);
            case LONGS: return elements(new long[(int) take(4)]);
            case OBJECTS: {
                Class<?> type = type(takeText());
                return elements(java.lang.reflect.Array.newInstance(type, (int) take(4)));
            }
            case NUMBERS: return numbers();
            case ENUM: return constant();
            default: return instance(kind == THROWABLE);
        }
    }

    private Object numbers() {
        Class<?> type;
        switch (takeText()) {
            case "boolean": type = boolean.class; break;
            case "char": type = char.class; break;
            case "short": type = short.class; break;
            case "float": type = float.class; break;
            default: type = double.class;
        }
        return elements(java.lang.reflect.Array.newInstance(type, (int) take(4)));
    }

    private Object known(Object o) {
        remember(o);
        return o;
    }

    private Object elements(Object array) {
        remember(array);
        readElements(array);
        return array;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Object constant() {
        Class type = type(takeText());
        return known(Enum.valueOf(type, takeText()));
    }

    private Object instance(boolean thrown) {
        Class<?> type = type(takeText());
        Object o;
        try {
            o = U.allocateInstance(type);
        } catch (InstantiationException e) {
            throw new InternalError(e);
        }
        remember(o);
        if (thrown) {
            Throwable template = new Throwable();
            String[] asNew = {"stackTrace", "suppressedExceptions"};
            for (String field : asNew) {
                long offset = U.objectFieldOffset(Throwable.class, field);
                U.putReference(o, offset, U.getReference(template, offset));
            }
            U.putReference(o, U.objectFieldOffset(Throwable.class, "cause"), o);
            U.putReference(o, U.objectFieldOffset(Throwable.class, "detailMessage"), read());
        }
        readFields(o);
        return o;
    }

    private static Class<?> type(String name) {
        try {
            if (name.equals("byte[]")) return byte[].class;
            return Class.forName(name, true, null);
        } catch (ClassNotFoundException e) {
            throw new NoClassDefFoundError(name);
        }
    }

    static boolean isArray(Object o) {
        return o instanceof byte[] || o instanceof int[] || o instanceof long[] || o instanceof Object[];
    }

    private static int length(Object array) {
        return java.lang.reflect.Array.getLength(array);
    }

    boolean hasMore() {
        return at < bytes.length;
    }

    /** The elements of an array that is there already. */
    void writeElements(Object array) {
        int length = length(array);
        if (array instanceof byte[]) {
            room(length);
            System.arraycopy(array, 0, bytes, at, length);
            at += length;
            return;
        }
        int size = ReweaveNatives.size(array);
        if (size != 0) {
            for (int i = 0; i < length; i++) put(ReweaveNatives.element(array, i), size);
            return;
        }
        for (int i = 0; i < length; i++) {
            write(((Object[]) array)[i]);
        }
    }

    void readElements(Object array) {
        int length = length(array);
        if (array instanceof byte[]) {
            System.arraycopy(bytes, at, array, 0, length);
            at += length;
            return;
        }
        int size = ReweaveNatives.size(array);
        if (size != 0) {
            for (int i = 0; i < length; i++) ReweaveNatives.set(array, i, take(size));
            return;
        }
        for (int i = 0; i < length; i++) {
            ((Object[]) array)[i] = read();
        }
    }

    // Fields

    /** Where the fields of a class are: offsets, and behind each its size, 0 for a reference. */
    private static final class Layout {
        final Class<?> type;
        final long[] fields;

        Layout(Class<?> type, long[] fields) {
            this.type = type;
            this.fields = fields;
        }
    }

    private static volatile Layout[] layouts = {};

    /** All fields of an object that is there already. */
    void writeFields(Object o) {
        long[] fields = fields(o.getClass());
        for (int i = 0; i < fields.length; i += 2) {
            long offset = fields[i];
            switch ((int) fields[i + 1]) {
                case 0: write(U.getReference(o, offset)); break;
                case 1: put(U.getByte(o, offset), 1); break;
                case 2: put(U.getShort(o, offset), 2); break;
                case 4: put(U.getInt(o, offset), 4); break;
                default: put(U.getLong(o, offset), 8);
            }
        }
    }

    void readFields(Object o) {
        long[] fields = fields(o.getClass());
        for (int i = 0; i < fields.length; i += 2) {
            long offset = fields[i];
            switch ((int) fields[i + 1]) {
                case 0: U.putReference(o, offset, read()); break;
                case 1: U.putByte(o, offset, (byte) take(1)); break;
                case 2: U.putShort(o, offset, (short) take(2)); break;
                case 4: U.putInt(o, offset, (int) take(4)); break;
                default: U.putLong(o, offset, take(8));
            }
        }
    }

    private static long[] fields(Class<?> type) {
        for (Layout layout : layouts) if (layout.type == type) return layout.fields;
        long[] fields = new long[64];
        int used = 0;
        for (Class<?> c = type; c != Object.class && c != Throwable.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.getName().startsWith("$rw")) continue;
                fields[used++] = U.objectFieldOffset(field);
                fields[used++] = size(field.getType());
            }
        }
        long[] exact = new long[used];
        System.arraycopy(fields, 0, exact, 0, used);
        // Two threads may come here at once; one layout is then made again later.
        Layout[] old = layouts;
        Layout[] all = new Layout[old.length + 1];
        System.arraycopy(old, 0, all, 0, old.length);
        all[old.length] = new Layout(type, exact);
        layouts = all;
        return exact;
    }

    private static int size(Class<?> type) {
        if (!type.isPrimitive()) return 0;
        if (type == boolean.class || type == byte.class) return 1;
        if (type == short.class || type == char.class) return 2;
        return type == long.class || type == double.class ? 8 : 4;
    }
}
