import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Two threads share the lines of standard input; who gets which differs. */
public class Stdin {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Runnable read = () -> {
            int hash = 0;
            try {
                for (String line; (line = in.readLine()) != null; ) {
                    hash = 31 * hash + line.hashCode();
                    for (int i = 0; i < line.length() * 200; i++) Thread.onSpinWait();
                }
            } catch (IOException e) {
                e.printStackTrace(System.out);
            }
            System.out.println(Thread.currentThread().getName() + " hash " + Integer.toHexString(hash));
        };
        Thread a = new Thread(read, "a"), b = new Thread(read, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println("left " + in.read() + ", at once " + System.in.available());
    }
}
