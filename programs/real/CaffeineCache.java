import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Caffeine's caches under four threads: eviction by size, expiry, weak values, loading in the background. */
public class CaffeineCache {
    public static void main(String[] arguments) throws Exception {
        AtomicInteger evicted = new AtomicInteger(), loaded = new AtomicInteger();
        Cache<Integer, String> small = Caffeine.newBuilder().maximumSize(20).expireAfterAccess(Duration.ofSeconds(10))
                .evictionListener((key, value, cause) -> evicted.incrementAndGet()).recordStats().build();
        AsyncLoadingCache<Integer, String> loading = Caffeine.newBuilder().maximumSize(50).buildAsync(key -> {
            loaded.incrementAndGet();
            return "value " + key;
        });
        Cache<Integer, Object> weak = Caffeine.newBuilder().weakValues().build();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int number = t;
            Thread thread = new Thread(() -> {
                int hash = 0, missed = 0;
                for (int i = 0; i < 300; i++) {
                    int key = (i * 7 + number * 13) % 60;
                    int turn = i;
                    String found = small.get(key, k -> number + ":" + turn);
                    hash = hash * 31 + found.hashCode();
                    hash = hash * 31 + loading.get(key).join().hashCode();
                    weak.put(key, new Object());
                    if (weak.getIfPresent((key + 30) % 60) == null) missed++;
                    if (i % 100 == 50) System.gc();
                }
                System.out.println(number + " hash " + Integer.toHexString(hash) + " missed " + missed);
            }, "user-" + t);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        small.cleanUp();
        System.out.println("kept " + new java.util.TreeMap<>(small.asMap()));
        System.out.println("hits " + small.stats().hitCount() + " misses " + small.stats().missCount() + " evicted " + evicted.get() + " loaded " + loaded.get());
    }
}
