import java.util.Collection;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;

public class Calls {
    static class Child extends Object { synchronized void wake() { super.notifyAll(); } }

    public static void main(String[] arguments) {
        Object lock = new Object();
        Runnable wake = lock::notifyAll;
        IntUnaryOperator absolute = Math::abs;
        ToIntFunction<Collection<?>> size = Collection::size;
        synchronized (lock) { lock.notifyAll(); wake.run(); }
        new Child().wake();
        Collection<String> all = List.of("a", "b");
        System.out.println(Math.abs(-3) + " " + absolute.applyAsInt(-4) + " " + all.size() + " " + size.applyAsInt(all));
    }
}
