import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Objects without a hashCode of their own as keys: where they go depends on a number that the JVM invents.
 * May vary: the identity hash codes, and so the order of the maps and sets, and what two threads make of it.
 */
public class IdentityHash {
    static final class Key {
        private final int number;

        Key(int number) {
            this.number = number;
        }
    }

    static final class Walker extends Thread {
        private final Map<Key, Integer> shared;
        private long hash = 17;

        Walker(String name, Map<Key, Integer> shared) {
            super(name);
            this.shared = shared;
        }

        @Override
        public void run() {
            Set<Key> own = new HashSet<>();
            for (int i = 0; i < 40; i++) {
                Key key = new Key(i);
                own.add(key);
                hash = hash * 31 + System.identityHashCode(key);
                synchronized (shared) {
                    shared.put(key, shared.size());
                }
            }
            for (Key key : own) {
                hash = hash * 31 + key.number;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Map<Key, Integer> shared = new IdentityHashMap<>();
        Walker[] walkers = {new Walker("a", shared), new Walker("b", shared), new Walker("c", shared)};
        for (Walker walker : walkers) {
            walker.start();
        }
        for (Walker walker : walkers) {
            walker.join();
            System.out.println(walker.getName() + " hash " + Long.toHexString(walker.hash));
        }
        Map<Object, String> copy = new HashMap<>();
        shared.forEach((key, place) -> copy.put(key, key.number + ":" + place));
        System.out.println("order " + String.join(" ", copy.values()));
        System.out.println("object " + new Object() + " array " + new int[0] + " class " + Key.class.hashCode());
        System.out.println("enum " + Thread.State.NEW.hashCode() + " lock " + walkers[0].hashCode());
    }
}
