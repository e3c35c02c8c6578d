import java.util.Arrays;

/** An array is copied while another thread writes to it. */
public class CopiedArray {
    public static void main(String[] args) throws Exception {
        long[] source = new long[32];
        Thread writer = new Thread(() -> {
            for (int i = 0; i < source.length; i++) {
                source[i] = i; // race: element of long[]
            }
        }, "writer");
        Thread copier = new Thread(() -> {
            long[] copy = new long[32];
            System.arraycopy(source, 0, copy, 0, 32); // race: element of long[]
            System.out.println(Arrays.stream(copy).sum() >= 0);
        }, "copier");
        writer.start();
        copier.start();
        writer.join();
        copier.join();
    }
}
