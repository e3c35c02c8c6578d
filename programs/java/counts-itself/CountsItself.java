import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Random;

/** Four threads take locks for ever. Each counts what it did in a mapped file, which survives a kill: a recording must hold at least that much. */
public class CountsItself {
    static final Object[] LOCKS = {new Object(), new Object(), new CountsItself()};
    static long sum;

    public static void main(String[] args) throws Exception {
        MappedByteBuffer counts;
        try (RandomAccessFile file = new RandomAccessFile(args[0], "rw")) {
            counts = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 64);
        }
        for (int t = 0; t < 4; t++) {
            int id = t;
            new Thread(() -> work(id, counts)).start();
        }
    }

    static void work(int id, MappedByteBuffer counts) {
        Random random = new Random(id);
        for (long n = 1; ; n++) {
            synchronized (LOCKS[random.nextInt(3)]) {
                sum += id;
                counts.putLong(id * 8, n);
            }
            if ((n & 0xffff) == 0) System.out.println(id + " " + n);
        }
    }
}
