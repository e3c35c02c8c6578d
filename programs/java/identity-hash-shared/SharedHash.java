import java.util.HashSet;
import java.util.Set;

/**
 * Three threads ask for the identity hash codes of the same objects, and of objects of their own in between, with nothing ordered around that.
 * May vary: which thread is the first to ask for the hash of a shared object, and so what that is.
 */
public class SharedHash {
    static final class Key {}

    static final class Asker extends Thread {
        private final Key[] shared;
        private long hash = 17;

        Asker(String name, Key[] shared) {
            super(name);
            this.shared = shared;
        }

        @Override
        public void run() {
            Set<Object> seen = new HashSet<>();
            for (int i = 0; i < shared.length; i++) {
                seen.add(shared[i]);
                Object own = new Object();
                seen.add(own);
                hash = hash * 31 + System.identityHashCode(shared[i]);
                hash = hash * 31 + own.hashCode();
                if (i % 16 == 0) {
                    Thread.yield();
                }
            }
            for (Object each : seen) {
                hash = hash * 31 + (each instanceof Key ? 1 : 2);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Key[] shared = new Key[2000];
        for (int i = 0; i < shared.length; i++) {
            shared[i] = new Key();
        }
        Asker[] askers = {new Asker("a", shared), new Asker("b", shared), new Asker("c", shared)};
        for (Asker asker : askers) {
            asker.start();
        }
        for (Asker asker : askers) {
            asker.join();
            System.out.println(asker.getName() + " hash " + Long.toHexString(asker.hash));
        }
    }
}
