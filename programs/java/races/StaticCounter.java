/** A static field that three threads add to. */
public class StaticCounter {
    private static long total;

    static final class Adder extends Thread {
        @Override
        public void run() {
            for (int i = 0; i < 50; i++) {
                total += i; // race: StaticCounter.total
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] adders = {new Adder(), new Adder(), new Adder()};
        for (Thread adder : adders) adder.start();
        for (Thread adder : adders) adder.join();
        System.out.println(total > 0);
    }
}
