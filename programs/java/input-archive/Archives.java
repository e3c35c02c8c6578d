import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Archives that are no jars: written, then read by two threads. */
public class Archives {
    public static void main(String[] arguments) throws Exception {
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream("data.zip"))) {
            for (int i = 0; i < 3; i++) {
                zip.putNextEntry(new ZipEntry("entry" + i));
                zip.write(("made at " + System.nanoTime()).getBytes());
            }
        }
        try (GZIPOutputStream gzip = new GZIPOutputStream(new FileOutputStream("data.gz"))) {
            gzip.write(("packed at " + System.nanoTime()).getBytes());
        }
        Thread a = new Thread(Archives::byName, "a"), b = new Thread(Archives::inOrder, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(new GZIPInputStream(new FileInputStream("data.gz"))))) {
            System.out.println("gzip " + reader.readLine());
        }
    }

    static void byName() {
        try (ZipFile zip = new ZipFile("data.zip")) {
            for (int i = 2; i >= 0; i--) System.out.println("a " + new String(zip.getInputStream(zip.getEntry("entry" + i)).readAllBytes()));
        } catch (IOException e) {
            System.out.println("a " + e);
        }
    }

    static void inOrder() {
        try (ZipInputStream zip = new ZipInputStream(new FileInputStream("data.zip"))) {
            for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) System.out.println("b " + entry.getName() + " " + new String(zip.readAllBytes()));
        } catch (IOException e) {
            System.out.println("b " + e);
        }
    }
}
