import java.nio.charset.Charset;
import java.util.Locale;

/** System properties that come from the machine and its user, locale and encoding. */
public class Properties {
    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> print("user.name", "user.home", "user.dir", "os.name"), "a");
        Thread b = new Thread(() -> print("os.version", "os.arch", "java.io.tmpdir", "user.language"), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println("locale " + Locale.getDefault() + " " + Locale.getDefault(Locale.Category.FORMAT) + " charset " + Charset.defaultCharset());
        System.out.println(String.format("number %,.2f at %d", 12345.678, System.nanoTime()));
    }

    static void print(String... names) {
        for (String name : names) System.out.println(name + " " + System.getProperty(name));
    }
}
