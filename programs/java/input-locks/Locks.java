import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Locks on files, and files that are mapped into memory. */
public class Locks {
    public static void main(String[] arguments) throws Exception {
        Path path = Path.of("ledger.bin");
        Thread a = new Thread(() -> lock("a", path), "a"), b = new Thread(() -> lock("b", path), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 64);
            mapped.putLong(0, System.nanoTime());
            mapped.force();
            System.out.println("mapped " + mapped.getLong(0) + " " + mapped.get(20) + " size " + channel.size());
        }
    }

    static void lock(String name, Path path) {
        int failed = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < 30; i++) {
                try (FileLock lock = channel.tryLock(0, 8, false)) {
                    if (lock == null || !lock.isValid()) failed++;
                } catch (OverlappingFileLockException e) {
                    failed++;
                }
                Thread.yield();
            }
        } catch (IOException e) {
            System.out.println(name + " " + e);
        }
        System.out.println(name + " failed " + failed);
    }
}
