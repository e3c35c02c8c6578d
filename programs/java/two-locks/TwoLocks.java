import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Two threads, each with a lock of its own: neither ever waits for the other. With an argument, the thread `right` creates a file of
 * that name when it is done, so that one can see from outside that it is.
 */
public class TwoLocks {
    private static final int ROUNDS = 2000;
    private static final Object leftLock = new Object();
    private static final Object rightLock = new Object();
    private static int leftSum;
    private static int rightSum;

    private static void left(int value) {
        synchronized (leftLock) {
            leftSum += value;
        }
    }

    private static void right(int value) {
        synchronized (rightLock) {
            rightSum += value;
        }
    }

    private static int work(int x) {
        for (int i = 0; i < 5000; i++) {
            x ^= x << 13;
            x ^= x >>> 17;
            x ^= x << 5;
        }
        return x;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread left = new Thread(() -> {
            for (int i = 1; i <= ROUNDS; i++) {
                left(work(i));
            }
        }, "left");
        Thread right = new Thread(() -> {
            for (int i = 1; i <= ROUNDS; i++) {
                right(work(-i));
            }
            if (args.length > 0) {
                create(Path.of(args[0]));
            }
        }, "right");
        left.start();
        right.start();
        left.join();
        right.join();
        System.out.println("left " + Integer.toHexString(leftSum) + " right " + Integer.toHexString(rightSum));
    }

    private static void create(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
