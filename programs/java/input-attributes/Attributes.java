import java.io.File;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Attributes of files: times, owners, permissions, links, and the store that they are in. */
public class Attributes {
    public static void main(String[] arguments) throws Exception {
        Thread a = new Thread(() -> look("a", Path.of("letter.txt")), "a"), b = new Thread(() -> look("b", Path.of("folder")), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        Path letter = Path.of("letter.txt");
        Files.setLastModifiedTime(letter, FileTime.fromMillis(1_000_000_000_000L));
        Files.setPosixFilePermissions(letter, PosixFilePermissions.fromString("rw-r-----"));
        PosixFileAttributes posix = Files.readAttributes(letter, PosixFileAttributes.class);
        System.out.println("posix " + posix.owner() + " " + posix.group() + " " + PosixFilePermissions.toString(posix.permissions()) + " " + posix.lastModifiedTime());
        Path link = Files.createSymbolicLink(Path.of("link"), letter);
        System.out.println("link " + Files.readSymbolicLink(link) + " " + Files.isSymbolicLink(link) + " " + Files.exists(link, LinkOption.NOFOLLOW_LINKS) + " " + Files.isSameFile(link, letter));
        System.out.println("real " + letter.toRealPath().getFileName() + " inode " + Files.getAttribute(letter, "unix:ino"));
        FileStore store = Files.getFileStore(letter);
        System.out.println("store " + store.type() + " " + store.getUsableSpace());
        File old = new File("letter.txt");
        System.out.println("old " + old.length() + " " + old.lastModified() + " " + old.canWrite() + " " + old.isHidden() + " " + old.getCanonicalFile().getName() + " " + old.getFreeSpace());
        System.out.println("type " + Files.probeContentType(letter) + " missing " + Files.exists(Path.of("nothing")));
    }

    static void look(String name, Path path) {
        try {
            BasicFileAttributes basic = Files.readAttributes(path, BasicFileAttributes.class);
            System.out.println(name + " " + basic.isDirectory() + " " + basic.size() + " " + basic.lastModifiedTime() + " " + basic.fileKey());
        } catch (IOException e) {
            System.out.println(name + " " + e);
        }
    }
}
