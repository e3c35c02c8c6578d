import java.io.IOException;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * javac on a folder of sources, several times in one process.
 * Arguments: the folder; where classes go; compilations for warm-up, and measured; how many at the same time, if not one. Prints the process's CPU time and the
 * wall time of one measured compilation.
 */
public class CompileRepeatedly {
    private static void compile(List<Path> sources, String classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-d", classes, "-proc:none", "-nowarn", "-Xlint:none", "-encoding", "UTF-8");
            if (!compiler.getTask(messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources)).call()) {
                throw new IOException("does not compile:\n" + messages);
            }
        }
    }

    private static void compile(List<Path> sources, String classes, int together) throws IOException, InterruptedException {
        if (together == 1) {
            compile(sources, classes);
            return;
        }
        Thread[] threads = new Thread[together];
        for (int i = 0; i < together; i++) {
            String own = Files.createDirectories(Path.of(classes, String.valueOf(i))).toString();
            threads[i] = new Thread(() -> {
                try {
                    compile(sources, own);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static long processCpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(Path.of(args[0]))) {
            sources = files.filter(file -> file.toString().endsWith(".java")).sorted().collect(Collectors.toList());
        }
        int warmUp = Integer.parseInt(args[2]);
        int measured = Integer.parseInt(args[3]);
        for (int i = 0; i < warmUp; i++) {
            compile(sources, args[1]);
        }
        int together = args.length > 4 ? Integer.parseInt(args[4]) : 1;
        long cpu = processCpu();
        long wall = System.nanoTime();
        for (int i = 0; i < measured; i++) {
            compile(sources, args[1], together);
        }
        cpu = processCpu() - cpu;
        wall = System.nanoTime() - wall;
        System.out.println("cpu_ms " + cpu / 1e6 / measured);
        System.out.println("wall_ms " + wall / 1e6 / measured);
        System.out.println("sources " + sources.size());
    }
}
