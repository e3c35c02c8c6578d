import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.ArrayList;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Seeds of every random generator that the JDK offers. */
public class Randoms {
    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> draw("a"), "a"), b = new Thread(() -> draw("b"), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        List<Integer> cards = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
        Collections.shuffle(cards);
        System.out.println("shuffled " + cards + " " + Math.random());
        System.out.println("hash " + new Object().hashCode() + " " + UUID.randomUUID());
    }

    static void draw(String name) {
        SecureRandom secure = new SecureRandom();
        byte[] bytes = new byte[20];
        secure.nextBytes(bytes);
        long sum = 0;
        for (byte one : bytes) sum = sum * 31 + one;
        System.out.println(name + " " + new Random().nextInt() + " " + ThreadLocalRandom.current().nextLong() + " " + new SplittableRandom().nextLong() + " "
                + sum + " " + secure.nextInt() + " " + new SecureRandom().generateSeed(4).length);
    }
}
