import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Starts programs that are no JVMs, talks to them and looks at how they end. */
public class Processes {
    public static void main(String[] args) throws Exception {
        Process date = new ProcessBuilder("sh", "-c", "echo $$; date +%N; echo wrong >&2; exit 3").start();
        System.out.println("said " + new String(date.getInputStream().readAllBytes()).replace('\n', ' '));
        System.out.println("complained " + new String(date.getErrorStream().readAllBytes()).trim());
        System.out.println("ended with " + date.waitFor() + " " + date.exitValue() + " " + date.isAlive());

        Process sort = new ProcessBuilder("sort").redirectErrorStream(true).start();
        Thread reader = new Thread(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(sort.getInputStream()))) {
                for (String line; (line = in.readLine()) != null; ) System.out.println("sorted " + line);
            } catch (IOException e) {
                e.printStackTrace(System.out);
            }
        });
        reader.start();
        try (PrintStream to = new PrintStream(sort.getOutputStream())) {
            for (int i = 0; i < 5; i++) to.println((System.nanoTime() + i * 7919) % 1000);
        }
        reader.join();
        System.out.println("sort " + sort.waitFor() + " as " + sort.pid());

        Process sleeper = Runtime.getRuntime().exec(new String[] {"sleep", "1000"});
        System.out.println("alive " + sleeper.isAlive() + " in time " + sleeper.waitFor(20, TimeUnit.MILLISECONDS));
        try {
            System.out.println(sleeper.exitValue());
        } catch (IllegalThreadStateException e) {
            System.out.println("not yet: " + e.getMessage());
        }
        sleeper.destroy();
        System.out.println("destroyed " + sleeper.waitFor());
        try {
            new ProcessBuilder("there-is-no-such-program").start();
        } catch (IOException e) {
            System.out.println("cannot: " + e.getMessage());
        }
    }
}
