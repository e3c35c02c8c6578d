import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Loads and links every class named in a file, without initialising any, and prints those that fail.
 * Listing a class's methods links it, and linking verifies its code.
 */
public final class LinkAll {
    public static void main(String[] arguments) throws Exception {
        List<String> names = Files.readAllLines(Path.of(arguments[0]));
        ClassLoader loader = ClassLoader.getSystemClassLoader();
        int linked = 0;
        for (String name : names) {
            try {
                Class.forName(name, false, loader).getDeclaredMethods();
                linked++;
            } catch (Throwable failure) {
                System.out.println("failed " + name + " " + String.valueOf(failure).replace('\n', ' '));
            }
        }
        System.out.println("linked " + linked);
    }
}
