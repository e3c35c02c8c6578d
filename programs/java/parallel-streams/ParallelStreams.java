import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Parallel streams in the common pool: the results are always the same, the way there is not.
 * May vary: the order in which elements are visited, and by whom.
 */
public class ParallelStreams {
    private static final AtomicInteger visits = new AtomicInteger();

    private static int visit(int element) {
        int x = element + 1;
        for (int i = 0; i < 3_000; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x == 0 ? 0 : visits.incrementAndGet();
    }

    private static String who() {
        String name = Thread.currentThread().getName();
        return name.equals("main") ? name : name.replaceAll(".*-", "w");
    }

    public static void main(String[] args) {
        List<Integer> order = IntStream.range(0, 400).parallel().map(ParallelStreams::visit).boxed().toList();
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        IntStream.range(0, 200).parallel().forEach(i -> {
            visit(i);
            seen.add(i + who());
        });
        int sum = IntStream.rangeClosed(1, 1000).parallel().filter(i -> i % 3 == 0).sum();
        String digits = IntStream.range(0, 30).parallel().mapToObj(Integer::toString).collect(Collectors.joining());
        int any = IntStream.range(0, 300).parallel().filter(i -> visit(i) % 50 == 49).findAny().orElse(-1);
        System.out.println("order " + Integer.toHexString(order.hashCode()));
        System.out.println("seen " + Integer.toHexString(List.copyOf(seen).hashCode()) + " of " + seen.size());
        System.out.println("any " + any + " visits " + visits.get());
        System.out.println("sum " + sum + " digits " + digits);
    }
}
