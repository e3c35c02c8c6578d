import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Set.of and Map.of, whose order depends on a salt that is new in every run.
 * May vary: the order of their elements.
 */
public class SetOfOrder {
    public static void main(String[] args) throws InterruptedException {
        Set<String> names = Set.of("ada", "alan", "barbara", "donald", "edsger", "grace", "leslie", "tony");
        Map<Integer, String> numbers = Map.of(1, "one", 2, "two", 3, "three", 4, "four", 5, "five", 6, "six");
        Set<Integer> copied = Set.copyOf(List.of(10, 20, 30, 40, 50, 60, 70));
        String[] seen = new String[2];
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> seen[number] = String.join(" ", names));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("same in both threads " + seen[0].equals(seen[1]));
        System.out.println("names " + seen[0]);
        System.out.println("numbers " + numbers);
        System.out.println("copied " + copied);
        System.out.println("unmodifiable " + List.of(3, 1, 2, 5, 4).stream().collect(Collectors.toUnmodifiableSet()));
        System.out.println("entries " + Map.ofEntries(Map.entry("a", 1), Map.entry("b", 2), Map.entry("c", 3)).keySet());
    }
}
