import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Prints the native methods of java.base and of the management beans in the JDK that runs it: internal name of the class, name, descriptor. */
public final class NativeMethods {
    public static void main(String[] arguments) throws Exception {
        FileSystem modules = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String module : new String[] {"java.base", "java.management", "jdk.management"}) print(modules.getPath("/modules", module));
    }

    private static void print(Path base) throws IOException {
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = base.relativize(file).toString();
                if (name.endsWith(".class") && !name.equals("module-info.class")) print(name.substring(0, name.length() - 6));
            }
        }
    }

    private static void print(String name) {
        try {
            for (Method method : Class.forName(name.replace('/', '.'), false, null).getDeclaredMethods()) {
                if (!Modifier.isNative(method.getModifiers())) continue;
                StringBuilder descriptor = new StringBuilder("(");
                for (Class<?> type : method.getParameterTypes()) descriptor.append(type.descriptorString());
                System.out.println(name + " " + method.getName() + " " + descriptor + ")" + method.getReturnType().descriptorString());
            }
        } catch (ClassNotFoundException | LinkageError e) {
            // Not one that could be called.
        }
    }
}
