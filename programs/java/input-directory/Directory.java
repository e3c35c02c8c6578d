import java.io.File;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Looks at a directory and at what is known about the files in it. */
public class Directory {
    public static void main(String[] args) throws Exception {
        System.out.println("list " + Arrays.toString(new File("tree").list()));
        try (Stream<Path> files = Files.walk(Path.of("tree"))) {
            files.forEach(path -> System.out.println("walk " + path));
        }
        try (Stream<Path> files = Files.list(Path.of("."))) {
            System.out.println("here " + files.count());
        }
        Path leaf = Path.of("tree/branch/leaf.txt");
        Map<String, Object> attributes = new TreeMap<>(Files.readAttributes(leaf, "unix:*", LinkOption.NOFOLLOW_LINKS));
        System.out.println("attributes " + attributes);
        System.out.println("owner " + Files.getOwner(leaf) + " " + Files.getPosixFilePermissions(leaf));
        File file = leaf.toFile();
        System.out.println("file " + file.length() + " " + file.lastModified() + " " + file.canRead() + file.canExecute() + file.isDirectory());
        System.out.println("real " + leaf.toRealPath() + " " + file.getCanonicalPath());
        System.out.println("space " + file.getUsableSpace() + " " + Files.getFileStore(leaf).getUnallocatedSpace());
        System.out.println("missing " + new File("tree/none").exists() + " " + Files.exists(Path.of("tree/none")) + " " + new File("tree/none").list());
    }
}
