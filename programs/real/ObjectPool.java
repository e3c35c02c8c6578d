import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/** commons-pool2: six threads share three objects, with an evictor that looks for idle ones. */
public class ObjectPool {
    public static void main(String[] arguments) throws Exception {
        AtomicInteger made = new AtomicInteger(), destroyed = new AtomicInteger();
        GenericObjectPoolConfig<StringBuilder> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(3);
        config.setMinIdle(1);
        config.setJmxEnabled(false);
        config.setTimeBetweenEvictionRuns(Duration.ofMillis(5));
        config.setMinEvictableIdleDuration(Duration.ofMillis(2));
        GenericObjectPool<StringBuilder> pool = new GenericObjectPool<>(new BasePooledObjectFactory<StringBuilder>() {
            @Override
            public StringBuilder create() {
                return new StringBuilder("object " + made.incrementAndGet() + ":");
            }

            @Override
            public PooledObject<StringBuilder> wrap(StringBuilder object) {
                return new DefaultPooledObject<>(object);
            }

            @Override
            public void destroyObject(PooledObject<StringBuilder> object) {
                System.out.println(object.getObject());
                destroyed.incrementAndGet();
            }
        }, config);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                int late = 0;
                for (int k = 0; k < 40; k++) {
                    try {
                        StringBuilder object = pool.borrowObject(k % 5 == 0 ? 1 : 1000);
                        object.append((char) ('a' + number));
                        if (k % 10 == 9) Thread.sleep(3);
                        pool.returnObject(object);
                    } catch (Exception e) {
                        late++;
                    }
                }
                System.out.println("user " + number + " was late " + late + " times");
            }, "user-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        pool.close();
        System.out.println("made " + made + " destroyed " + destroyed + " borrowed " + pool.getBorrowedCount() + " evicted " + pool.getDestroyedByEvictorCount());
    }
}
