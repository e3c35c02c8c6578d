import java.util.Map;
import java.util.TreeMap;

/** The environment: single variables, all of them, and what a child process would get. */
public class Environment {
    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> print("a", "REWEAVE_TEST_FIRST"), "a"), b = new Thread(() -> print("b", "REWEAVE_TEST_TOKEN"), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println("missing " + System.getenv("REWEAVE_TEST_NOTHING"));
        Map<String, String> ours = new TreeMap<>();
        for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
            if (variable.getKey().startsWith("REWEAVE_TEST_")) ours.put(variable.getKey(), variable.getValue());
        }
        System.out.println("all " + ours);
        System.out.println("child " + new ProcessBuilder("true").environment().get("REWEAVE_TEST_FIRST") + " at " + System.nanoTime());
    }

    static void print(String name, String variable) {
        System.out.println(name + " " + System.getenv(variable));
    }
}
