import java.net.URI;
import java.util.List;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Two compilers in one JVM, which share tables of the JDK: its image, its service loaders, the hashes of keys that both are the first to use. What they ask their file managers
 * is counted without a lock. May vary: the counts, who was where when.
 */
public class RacyCompilers {
    private static final String TEXT = "class Given { int twice(int x) { return new Object() { int y = x; }.y + java.util.List.of(x).get(0); } }";
    private static int asked;
    private static int trace = 1;

    static final class Source extends SimpleJavaFileObject {
        Source() {
            super(URI.create("string:///Given.java"), Kind.SOURCE);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreErrors) {
            return TEXT;
        }
    }

    static final class Counting extends ForwardingJavaFileManager<JavaFileManager> {
        private final int name;

        Counting(JavaFileManager files, int name) {
            super(files);
            this.name = name;
        }

        @Override
        public String inferBinaryName(Location location, JavaFileObject file) {
            asked++;
            trace = trace * 31 + name;
            return super.inferBinaryName(location, file);
        }
    }

    private static void compile(int name) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileManager files = new Counting(compiler.getStandardFileManager(null, null, null), name);
        // Attributed, not written.
        List<String> options = List.of("-proc:none", "-XDshould-stop.ifNoError=FLOW");
        if (!compiler.getTask(null, files, null, options, null, List.of(new Source())).call()) throw new AssertionError();
    }

    public static void main(String[] args) throws InterruptedException {
        Thread a = new Thread(() -> compile(1)), b = new Thread(() -> compile(2));
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println("asked " + asked);
        System.out.println("trace " + trace);
    }
}
