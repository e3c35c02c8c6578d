import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Values that belong to classes, asked for by three threads at once: whoever finds none makes one, and of several that are made at the same time one is kept.
 * May vary: which thread makes a value, how many are made in vain, and which number the one that is kept has.
 */
public class ClassValues {
    static final AtomicInteger made = new AtomicInteger();
    static final ClassValue<String> names = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            return type.getName() + " " + made.incrementAndGet() + " by " + Thread.currentThread().getName();
        }
    };
    static final ClassValue<Object> nothing = new ClassValue<>() {
        @Override
        protected Object computeValue(Class<?> type) {
            made.incrementAndGet();
            return null;
        }
    };
    static final class A {}
    static final class B {}
    static final class C {}
    static final class D {}
    static final class E {}
    static final class F {}
    interface G {}
    static final Class<?>[] TYPES = {A.class, B.class, C.class, D.class, E.class, F.class, G.class, ClassValues.class};

    public static void main(String[] args) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        for (String name : new String[] {"a", "b", "c"}) {
            Thread thread = new Thread(() -> lines.add(Thread.currentThread().getName() + " hash " + Integer.toHexString(work())), name);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        lines.forEach(System.out::println);
        for (Class<?> type : TYPES) {
            System.out.println(names.get(type));
        }
        System.out.println("made " + made.get());
    }

    private static int work() {
        int hash = 17;
        for (int round = 0; round < 40; round++) {
            for (Class<?> type : TYPES) {
                hash = hash * 31 + names.get(type).hashCode();
                if (nothing.get(type) != null) {
                    throw new AssertionError("there is none");
                }
            }
            if (round % 8 == 7) {
                names.remove(TYPES[round % TYPES.length]);
                Thread.yield();
            }
        }
        return hash;
    }
}
