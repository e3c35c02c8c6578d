import java.util.Arrays;

/** Native methods of the program's own: numbers, texts, arrays, what they fill, what they throw. */
public class Natives {
    static {
        System.loadLibrary("natives");
    }

    static native long clock();
    static native int next();
    static native double fraction();
    static native float ratio(byte a, short b, char c, boolean d);
    static native String text(String greeting);
    static native int[] numbers(int length);
    static native String[] words();
    static native int fill(byte[] bytes, long[] more);
    static native void fail(String why);
    static native long make();
    static native int use(long address);
    static native Object same(Object object);
    static native int back(Runnable action);

    static int shared;

    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> work("a"), "a"), b = new Thread(() -> work("b"), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println("clock " + clock() + " fraction " + fraction() + " ratio " + ratio((byte) 1, (short) 2, 'c', true));
        System.out.println("text " + text("hello"));
        System.out.println("numbers " + Arrays.toString(numbers(5)) + " words " + Arrays.toString(words()));
        byte[] bytes = new byte[8];
        long[] more = new long[2];
        System.out.println("filled " + fill(bytes, more) + " " + Arrays.toString(bytes) + " " + Arrays.toString(more));
        try {
            fail("on purpose");
        } catch (IllegalStateException e) {
            System.out.println("failed " + e.getMessage());
        }
        // Only this run knows what is at that address.
        System.out.println("used " + use(make()));
        System.out.println("same " + (same(bytes) == bytes) + " " + (same(Natives.class) == Natives.class));
        System.out.println("called back " + back(() -> System.out.println("from native code " + clock())));
    }

    static void work(String name) {
        StringBuilder got = new StringBuilder(name + " got");
        for (int i = 0; i < 20; i++) {
            got.append(' ').append(next());
            synchronized (Natives.class) {
                shared++;
            }
        }
        System.out.println(got);
    }
}
