import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;

/**
 * A SubmissionPublisher with three subscribers of different speed and a buffer that is often full.
 * May vary: how far behind the slowest is, which offers are dropped, and the order in which subscribers get items.
 */
public class Publisher {
    private static final StringBuilder order = new StringBuilder();

    static final class Reader implements Flow.Subscriber<Integer> {
        private final char name;
        private final int slowness;
        private final CountDownLatch done;
        private Flow.Subscription subscription;
        private long sum;

        Reader(char name, int slowness, CountDownLatch done) {
            this.name = name;
            this.slowness = slowness;
            this.done = done;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            subscription.request(1);
        }

        @Override
        public void onNext(Integer item) {
            int x = item + 1;
            for (int i = 0; i < slowness; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            sum += x == 0 ? 0 : item;
            synchronized (order) {
                order.append(name);
            }
            subscription.request(1);
        }

        @Override
        public void onError(Throwable failure) {
            done.countDown();
        }

        @Override
        public void onComplete() {
            done.countDown();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        CountDownLatch done = new CountDownLatch(3);
        Reader[] readers = {new Reader('a', 2_000, done), new Reader('b', 6_000, done), new Reader('c', 4_000, done)};
        long hash = 17;
        try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>(pool, 8)) {
            for (Reader reader : readers) {
                publisher.subscribe(reader);
            }
            for (int i = 0; i < 150; i++) {
                int lag = i % 3 == 0 ? publisher.offer(i, null) : publisher.submit(i);
                hash = hash * 31 + lag;
                hash = hash * 31 + publisher.estimateMaximumLag();
            }
        }
        done.await();
        pool.shutdown();
        for (Reader reader : readers) {
            System.out.println(reader.name + " sum " + reader.sum);
        }
        System.out.println("order " + Integer.toHexString(order.toString().hashCode()) + " lags " + Long.toHexString(hash));
    }
}
