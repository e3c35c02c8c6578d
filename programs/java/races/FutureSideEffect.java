import java.util.concurrent.CompletableFuture;

/** The results of two futures are combined in order; a field that both change on the side is not. */
public class FutureSideEffect {
    private static int calls;

    private static int square(int number) {
        for (int i = 0; i < 30; i++) {
            calls++; // race: FutureSideEffect.calls
        }
        return number * number;
    }

    public static void main(String[] args) throws Exception {
        CompletableFuture<Integer> a = CompletableFuture.supplyAsync(() -> square(3), Runnable -> new Thread(Runnable, "a").start());
        CompletableFuture<Integer> b = CompletableFuture.supplyAsync(() -> square(4), Runnable -> new Thread(Runnable, "b").start());
        System.out.println(a.thenCombine(b, Integer::sum).get());
        System.out.println(calls <= 60);
    }
}
