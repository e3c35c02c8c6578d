import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.collect.ConcurrentHashMultiset;
import com.google.common.eventbus.AsyncEventBus;
import com.google.common.eventbus.Subscribe;
import com.google.common.util.concurrent.AbstractScheduledService;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.ListeningExecutorService;
import com.google.common.util.concurrent.Monitor;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.RateLimiter;
import com.google.common.util.concurrent.SettableFuture;
import com.google.common.util.concurrent.Striped;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

/** Guava's concurrent package: futures and their listeners, striped locks, monitors, a service, an event bus, a loading cache. */
public class GuavaConcurrent {
    static final StringBuffer order = new StringBuffer();

    public static void main(String[] arguments) throws Exception {
        ListeningExecutorService pool = MoreExecutors.listeningDecorator(Executors.newFixedThreadPool(4));
        LoadingCache<Integer, String> cache = CacheBuilder.newBuilder().maximumSize(10).weakValues().build(new CacheLoader<>() {
            @Override
            public String load(Integer key) {
                return "loaded " + key + " by " + Thread.currentThread().getName();
            }
        });
        Striped<Lock> locks = Striped.lock(4);
        Monitor monitor = new Monitor();
        int[] turn = {0};
        Monitor.Guard even = monitor.newGuard(() -> turn[0] % 2 == 0);
        ConcurrentHashMultiset<String> counts = ConcurrentHashMultiset.create();
        RateLimiter limiter = RateLimiter.create(5000);
        List<ListenableFuture<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            int number = i;
            futures.add(pool.submit(() -> {
                limiter.acquire();
                Lock lock = locks.get(number % 7);
                lock.lock();
                try {
                    counts.add("stripe " + number % 7);
                    order.append((char) ('a' + number % 26));
                } finally {
                    lock.unlock();
                }
                if (monitor.tryEnterIf(even)) {
                    try {
                        turn[0]++;
                    } finally {
                        monitor.leave();
                    }
                } else {
                    monitor.enter();
                    turn[0]++;
                    monitor.leave();
                }
                return cache.get(number % 12).length() + number;
            }));
        }
        SettableFuture<String> last = SettableFuture.create();
        Futures.whenAllSucceed(futures).run(() -> last.set("all done by " + Thread.currentThread().getName()), pool);
        System.out.println(Futures.allAsList(futures).get());
        System.out.println(last.get());
        AsyncEventBus bus = new AsyncEventBus(pool);
        AtomicInteger heard = new AtomicInteger();
        bus.register(new Object() {
            @Subscribe
            public void number(Integer number) {
                order.append(number);
                heard.incrementAndGet();
            }
        });
        for (int i = 0; i < 10; i++) bus.post(i);
        AbstractScheduledService ticking = new AbstractScheduledService() {
            @Override
            protected void runOneIteration() {
                order.append('.');
            }

            @Override
            protected Scheduler scheduler() {
                return Scheduler.newFixedRateSchedule(0, 2, TimeUnit.MILLISECONDS);
            }
        };
        ticking.startAsync().awaitRunning();
        while (heard.get() < 10) Thread.sleep(1);
        ticking.stopAsync().awaitTerminated();
        pool.shutdown();
        System.out.println(pool.awaitTermination(10, TimeUnit.SECONDS) + " " + order + " " + turn[0] + " " + new java.util.TreeSet<>(counts.entrySet().stream().map(Object::toString).toList()));
    }
}
