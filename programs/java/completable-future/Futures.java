import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chains of CompletableFutures on a pool and on the common pool: combined, raced, failed, timed out.
 * May vary: which stage runs when and where, which of two comes first.
 */
public class Futures {
    private static final AtomicInteger clock = new AtomicInteger();

    private static String stage(String name) {
        int x = name.hashCode() | 1;
        for (int i = 0; i < 4_000; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return name + clock.incrementAndGet() + (x == 0 ? "" : Thread.currentThread().getName().replaceAll(".*-", "."));
    }

    private static CompletableFuture<String> chain(int number, ExecutorService pool) {
        CompletableFuture<String> left = CompletableFuture.supplyAsync(() -> stage("l"), pool);
        CompletableFuture<String> right = CompletableFuture.supplyAsync(() -> stage("r"));
        CompletableFuture<String> both = left.thenCombineAsync(right, (a, b) -> a + b + stage("c"), pool);
        CompletableFuture<String> first = left.applyToEither(right, name -> name + stage("e"));
        return both.thenCompose(text -> first.thenApply(winner -> text + winner))
            .thenApply(text -> {
                if (number % 5 == 0) {
                    throw new IllegalStateException("planned");
                }
                return text;
            })
            .handle((text, failure) -> failure == null ? text : "failed" + stage("f"));
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<CompletableFuture<String>> chains = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            chains.add(chain(i, pool));
        }
        CompletableFuture.allOf(chains.toArray(CompletableFuture[]::new)).get();
        long hash = 17;
        for (CompletableFuture<String> chain : chains) {
            hash = hash * 31 + chain.join().hashCode();
        }
        CompletableFuture<String> slow = new CompletableFuture<String>().completeOnTimeout("nobody", 2, TimeUnit.MILLISECONDS);
        pool.submit(() -> {
            Thread.sleep(2);
            return slow.complete("worker");
        });
        System.out.println("completed by " + slow.get());
        pool.shutdown();
        System.out.println("ended " + pool.awaitTermination(10, TimeUnit.SECONDS) + " stages " + clock.get());
        System.out.println("hash " + Long.toHexString(hash));
    }
}
