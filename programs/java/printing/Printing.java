/**
 * Four threads write to System.out and System.err at once: whole lines, pieces of lines, formatted and single bytes.
 * May vary: how the lines follow one another; pieces of lines mix.
 */
public class Printing {
    static final class Writer extends Thread {
        private int noise;

        Writer(String name, int seed) {
            super(name);
            noise = seed;
        }

        @Override
        public void run() {
            for (int i = 0; i < 15; i++) {
                work(8000);
                System.out.println(getName() + " line " + i);
                if (i % 3 == 0) {
                    System.out.print("<" + getName());
                    work(2000);
                    System.out.print(i);
                    System.out.write('>');
                    System.out.println();
                }
                if (i % 5 == 0) {
                    System.err.println(getName() + " error " + i);
                }
                if (i == 7) {
                    System.out.printf("%s format %d%n", getName(), i);
                }
            }
        }

        private void work(int rounds) {
            int x = noise;
            for (int i = 0; i < rounds; i++) {
                x ^= x << 13;
                x ^= x >>> 17;
                x ^= x << 5;
            }
            noise = x;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] writers = {new Writer("a", 1), new Writer("b", 2), new Writer("c", 3), new Writer("d", 4)};
        for (Thread writer : writers) {
            writer.start();
        }
        for (Thread writer : writers) {
            writer.join();
        }
        System.out.println("done");
    }
}
