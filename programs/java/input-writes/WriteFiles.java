import java.io.File;
import java.io.FileOutputStream;
import java.io.FileWriter;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Makes, changes, copies, moves and deletes files, and reads back what came of it. A replay makes none of them. */
public class WriteFiles {
    public static void main(String[] args) throws Exception {
        long now = System.nanoTime();
        try (FileWriter out = new FileWriter("a.txt")) {
            out.write("written " + now + "\n");
        }
        try (FileOutputStream out = new FileOutputStream("a.txt", true)) {
            out.write('x');
        }
        System.out.println(Files.readString(Path.of("a.txt")));
        System.out.println("directory " + new File("made").mkdir() + " " + new File("made").mkdir());
        Files.write(Path.of("made/b.txt"), List.of("one", "two " + now));
        Files.copy(Path.of("made/b.txt"), Path.of("made/c.txt"));
        try {
            Files.createFile(Path.of("made/c.txt"));
        } catch (FileAlreadyExistsException e) {
            System.out.println("exists " + e.getFile());
        }
        Files.move(Path.of("made/c.txt"), Path.of("d.txt"), StandardCopyOption.REPLACE_EXISTING);
        System.out.println("moved " + Files.readAllLines(Path.of("d.txt")));
        try (RandomAccessFile file = new RandomAccessFile("e.bin", "rw")) {
            file.setLength(100);
            file.seek(50);
            file.writeLong(now);
            file.seek(50);
            System.out.println("random " + file.readLong() + " " + file.length());
        }
        try (FileChannel channel = FileChannel.open(Path.of("e.bin"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("channel".getBytes()), 10);
            ByteBuffer buffer = ByteBuffer.allocate(7);
            channel.read(buffer, 10);
            channel.force(true);
            channel.truncate(60);
            System.out.println("channel " + new String(buffer.array()) + " " + channel.size());
        }
        Path temporary = Files.createTempFile(Path.of("."), "t", ".tmp");
        System.out.println("temporary " + temporary);
        Files.delete(temporary);
        System.out.println("renamed " + new File("a.txt").renameTo(new File("f.txt")) + " deleted " + new File("d.txt").delete());
        String[] left = new File(".").list();
        java.util.Arrays.sort(left);
        System.out.println("left " + String.join(" ", left));
    }
}
