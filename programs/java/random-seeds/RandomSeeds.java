import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Random numbers that nobody seeded: Random, ThreadLocalRandom, SplittableRandom, Math.random.
 * May vary: all of them.
 */
public class RandomSeeds {
    static final class Player extends Thread {
        private static final Random shared = new Random();
        private long own = 17;
        private long common = 17;

        Player(String name) {
            super(name);
        }

        @Override
        public void run() {
            Random random = new Random();
            SplittableRandom splittable = new SplittableRandom();
            for (int i = 0; i < 50; i++) {
                own = own * 31 + random.nextInt();
                own = own * 31 + ThreadLocalRandom.current().nextLong(1_000_000);
                own = own * 31 + splittable.nextInt();
                common = common * 31 + shared.nextInt(1000);
                common = common * 31 + (long) (Math.random() * 1_000_000);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Player[] players = {new Player("a"), new Player("b"), new Player("c")};
        for (Player player : players) {
            player.start();
        }
        for (Player player : players) {
            player.join();
            System.out.println(player.getName() + " own " + Long.toHexString(player.own) + " common " + Long.toHexString(player.common));
        }
        List<Integer> shuffled = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
        Collections.shuffle(shuffled);
        System.out.println("shuffled " + shuffled);
    }
}
