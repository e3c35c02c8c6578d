import java.util.ArrayList;
import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.TreeMap;
import java.util.Vector;

/**
 * Threads share a Vector, a Hashtable, a StringBuffer, a Stack, and synchronized views of a list and a map.
 * May vary: the order of the elements, who put which key first, and what an iteration under the view's monitor finds.
 */
public class SharedCollections {
    private static final Vector<String> vector = new Vector<>();
    private static final Hashtable<String, String> firsts = new Hashtable<>();
    private static final StringBuffer text = new StringBuffer();
    private static final Stack<Integer> stack = new Stack<>();
    private static final List<String> list = Collections.synchronizedList(new ArrayList<>());
    private static final Map<String, Integer> map = Collections.synchronizedMap(new TreeMap<>());

    static final class User extends Thread {
        private int hash = 17;
        private int popped;
        private int noise;

        User(String name, int seed) {
            super(name);
            noise = seed;
        }

        @Override
        public void run() {
            for (int i = 0; i < 80; i++) {
                work(8000);
                vector.add(getName());
                firsts.putIfAbsent("k" + i, getName());
                text.append(getName());
                stack.push(i);
                list.add(getName() + i);
                map.merge("k" + i % 10, 1, Integer::sum);
                if (i % 4 == 0) {
                    look();
                }
            }
        }

        private void look() {
            synchronized (stack) {
                if (!stack.isEmpty()) {
                    hash = hash * 31 + stack.pop();
                    popped++;
                }
            }
            synchronized (list) {
                for (String element : list) {
                    hash = hash * 31 + element.hashCode();
                }
            }
            hash = hash * 31 + vector.size() + text.length();
        }

        private void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        User[] users = {new User("a", 1), new User("b", 2), new User("c", 3)};
        for (User user : users) {
            user.start();
        }
        int popped = 0;
        for (User user : users) {
            user.join();
            popped += user.popped;
            System.out.println(user.getName() + " saw " + Integer.toHexString(user.hash));
        }
        StringBuilder owners = new StringBuilder();
        for (int i = 0; i < 80; i++) {
            owners.append(firsts.get("k" + i));
        }
        System.out.println("firsts " + owners.substring(10, 70));
        System.out.println("text " + text.substring(60, 120) + " vector " + Integer.toHexString(vector.hashCode())
            + " list " + Integer.toHexString(list.hashCode()) + " stack " + Integer.toHexString(stack.hashCode()));
        System.out.println("sizes " + vector.size() + " " + firsts.size() + " " + text.length() + " " + (stack.size() + popped)
            + " " + list.size() + " " + map);
    }
}
