package java.lang;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Spliterator;
import java.util.Spliterators;

/** What recording and replay share about many elements at once. */
final class ReweaveBulk {
    private ReweaveBulk() {}

    /** The copy as such, and its exceptions as the program would see them. */
    static void raw(Thread t, Object from, int fromIndex, Object to, int toIndex, int length) {
        try {
            System.arraycopy(from, fromIndex, to, toIndex, length);
        } catch (RuntimeException e) {
            throw ReweaveQuiet.clean(t, e);
        }
    }

    /** Whether elements will be read or written. */
    static boolean valid(Object from, int fromIndex, Object to, int toIndex, int length) {
        if (from == null || to == null || length <= 0 || fromIndex < 0 || toIndex < 0) return false;
        Class<?> a = from.getClass(), b = to.getClass();
        if (!a.isArray() || !b.isArray() || a != b && (a.getComponentType().isPrimitive() || b.getComponentType().isPrimitive())) return false;
        return fromIndex <= Array.getLength(from) - length && toIndex <= Array.getLength(to) - length;
    }

    /** For a queue whose own one looks at it without its lock: from its iterator, which does not. The queue's promises are the same. */
    static Spliterator<?> spliterator(Collection<?> queue) {
        return Spliterators.spliterator(queue, Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.CONCURRENT);
    }
}
