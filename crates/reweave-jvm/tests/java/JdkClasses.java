import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes class files of the JDK that runs it into a folder, as 0.class, 1.class, …: the folder, then internal names. Those it does not have are left out. */
public final class JdkClasses {
    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i < arguments.length; i++) {
            try (InputStream in = ClassLoader.getSystemResourceAsStream(arguments[i] + ".class")) {
                if (in != null) Files.write(Path.of(arguments[0], i - 1 + ".class"), in.readAllBytes());
            }
        }
    }
}
