import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Two threads read from one channel, whose position they share; then it is read at positions, scattered, and mapped. */
public class ReadChannels {
    static String text(ByteBuffer buffer) {
        return StandardCharsets.UTF_8.decode(buffer.flip()).toString();
    }

    public static void main(String[] args) throws Exception {
        try (FileChannel channel = FileChannel.open(Path.of("numbers.txt"), StandardOpenOption.READ)) {
            Runnable read = () -> {
                ByteBuffer buffer = ByteBuffer.allocateDirect(4);
                int hash = 0;
                try {
                    while (channel.read(buffer) > 0) {
                        hash = 31 * hash + text(buffer).hashCode();
                        buffer.clear();
                    }
                } catch (java.io.IOException e) {
                    e.printStackTrace(System.out);
                }
                System.out.println(Thread.currentThread().getName() + " hash " + Integer.toHexString(hash));
            };
            Thread a = new Thread(read, "a"), b = new Thread(read, "b");
            a.start();
            b.start();
            a.join();
            b.join();
            ByteBuffer buffer = ByteBuffer.allocate(10);
            channel.read(buffer, 5);
            System.out.println("at 5: " + text(buffer));
            ByteBuffer[] parts = {ByteBuffer.allocate(3), ByteBuffer.allocateDirect(6)};
            channel.position(2);
            System.out.println("scattered " + channel.read(parts) + " " + text(parts[0]) + "," + text(parts[1]));
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 7, channel.size() - 7);
            System.out.println("mapped " + StandardCharsets.UTF_8.decode(mapped).toString().hashCode() + " of " + channel.size());
        }
    }
}
