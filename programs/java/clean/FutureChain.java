import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Stages of CompletableFutures hand a plain object on. */
public class FutureChain {
    static final class Box {
        int value;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletableFuture<Box> all = CompletableFuture.completedFuture(new Box());
        for (int i = 0; i < 20; i++) {
            all = all.thenApplyAsync(box -> {
                box.value++;
                return box;
            }, pool);
        }
        CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> 3, pool);
        System.out.println(all.thenCombine(other, (box, three) -> box.value * three).get());
        pool.shutdown();
    }
}
