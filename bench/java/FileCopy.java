import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Copies a file of some megabytes several times; prints what one copy cost. */
public class FileCopy {
    static final int MEGABYTES = 32, WARM_UP = 3, MEASURED = 5;

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("copy"), from = folder.resolve("from"), to = folder.resolve("to");
        byte[] block = new byte[1 << 20];
        Random random = new Random(1);
        try (FileOutputStream out = new FileOutputStream(from.toFile())) {
            for (int i = 0; i < MEGABYTES; i++) {
                // Half of it is noise, as in most files.
                random.nextBytes(block);
                for (int k = 0; k < block.length; k += 2) block[k] = 'x';
                out.write(block);
            }
        }
        for (int i = 0; i < WARM_UP; i++) copy(from, to);
        long cpu = cpu(), wall = System.nanoTime();
        for (int i = 0; i < MEASURED; i++) copy(from, to);
        System.out.println("cpu_ms " + (cpu() - cpu) / 1e6 / MEASURED);
        System.out.println("wall_ms " + (System.nanoTime() - wall) / 1e6 / MEASURED);
        Files.delete(from);
        Files.delete(to);
        Files.delete(folder);
    }

    static void copy(Path from, Path to) throws IOException {
        byte[] buffer = new byte[64 << 10];
        try (FileInputStream in = new FileInputStream(from.toFile()); FileOutputStream out = new FileOutputStream(to.toFile())) {
            for (int length; (length = in.read(buffer)) > 0; ) out.write(buffer, 0, length);
        }
    }

    static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
