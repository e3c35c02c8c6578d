package java.lang;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Values that belong to classes. The JDK keeps all of them in one table for each class, which its own doings use too, so that who finds what there cannot be ordered. The
 * program's have a map of their own, of a class that is; those of the JDK are its own affair.
 */
final class ReweaveClassValue {
    private static final Object NULL = new Object();

    private ReweaveClassValue() {}

    static void made(ClassValue<?> value) {
        if (value.getClass().getClassLoader0() != null) value.$rwValues = new ConcurrentHashMap<Class<?>, Object>();
    }

    /** The thread follows the recording, or is recorded. */
    @SuppressWarnings("unchecked")
    static Object get(Thread t, ClassValue<?> value, Class<?> type) {
        ConcurrentHashMap<Class<?>, Object> map = (ConcurrentHashMap<Class<?>, Object>) value.$rwValues;
        if (map == null || type == null) {
            ReweaveQuiet.enter(t);
            try {
                return value.$rw$get(type);
            } finally {
                ReweaveQuiet.leave(t);
            }
        }
        Object found = map.get(type);
        if (found == null) {
            Object computed = value.computeValue(type);
            if (computed == null) computed = NULL;
            found = map.putIfAbsent(type, computed);
            if (found == null) found = computed;
        }
        return found == NULL ? null : found;
    }

    @SuppressWarnings("unchecked")
    static void remove(Thread t, ClassValue<?> value, Class<?> type) {
        ConcurrentHashMap<Class<?>, Object> map = (ConcurrentHashMap<Class<?>, Object>) value.$rwValues;
        if (map != null && type != null) map.remove(type);
        // What it has there is what quiet sections asked for.
        ReweaveQuiet.enter(t);
        try {
            value.$rw$remove(type);
        } finally {
            ReweaveQuiet.leave(t);
        }
    }
}
