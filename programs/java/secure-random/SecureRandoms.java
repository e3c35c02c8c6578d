import java.security.SecureRandom;
import java.util.UUID;

/**
 * UUIDs and SecureRandom, drawn by three threads from the same generator.
 * May vary: all of it.
 */
public class SecureRandoms {
    private static final SecureRandom shared = new SecureRandom();

    static final class Drawer extends Thread {
        private long hash = 17;
        private UUID last;

        Drawer(String name) {
            super(name);
        }

        @Override
        public void run() {
            byte[] bytes = new byte[8];
            for (int i = 0; i < 30; i++) {
                last = UUID.randomUUID();
                hash = hash * 31 + last.hashCode();
                shared.nextBytes(bytes);
                hash = hash * 31 + bytes[0] + shared.nextInt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Drawer[] drawers = {new Drawer("a"), new Drawer("b"), new Drawer("c")};
        for (Drawer drawer : drawers) {
            drawer.start();
        }
        for (Drawer drawer : drawers) {
            drawer.join();
            System.out.println(drawer.getName() + " hash " + Long.toHexString(drawer.hash) + " last " + drawer.last);
        }
        System.out.println("seed " + SecureRandom.getSeed(4).length + " fresh " + new SecureRandom().nextLong());
    }
}
