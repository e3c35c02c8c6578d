import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Three threads read files in every way that java.io and java.nio.file offer, and fold what they read into a common hash in the order in which they come. */
public class ReadFiles {
    static final AtomicInteger hash = new AtomicInteger();

    static void fold(Object what) {
        hash.updateAndGet(h -> 31 * h + what.hashCode());
    }

    interface Step {
        Object run() throws IOException;
    }

    public static void main(String[] args) throws Exception {
        List<Step> steps = List.of(
                () -> {
                    try (FileInputStream in = new FileInputStream("poem.txt")) {
                        long skipped = in.skip(3);
                        return skipped + new String(in.readAllBytes()) + in.available();
                    }
                },
                () -> Files.readString(Path.of("poem.txt")),
                () -> Files.readAllLines(Path.of("poem.txt")).size(),
                () -> {
                    try (RandomAccessFile file = new RandomAccessFile("poem.txt", "r")) {
                        file.seek(10);
                        return file.readLine() + file.getFilePointer() + file.length();
                    }
                },
                () -> {
                    try {
                        new FileInputStream("missing.txt").close();
                        return "there";
                    } catch (FileNotFoundException e) {
                        return e.getMessage() + e.getStackTrace()[0];
                    }
                },
                () -> {
                    try {
                        return Files.size(Path.of("missing.txt"));
                    } catch (NoSuchFileException e) {
                        return e.getMessage();
                    }
                },
                () -> new File("poem.txt").lastModified());
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                for (int round = 0; round < 20; round++) {
                    try {
                        fold(steps.get((number + round) % steps.size()).run());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            });
        }
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("hash " + Integer.toHexString(hash.get()));
        System.out.print(Files.readString(Path.of("poem.txt")));
    }
}
