/** An object is given to another thread through a plain field: both the reference and what it refers to race. */
public class UnsafePublication {
    static final class Point {
        int x;
        int y;

        Point(int x, int y) {
            this.x = x; // race: UnsafePublication$Point.x
            this.y = y; // race: UnsafePublication$Point.y
        }
    }

    private static Point shared;

    public static void main(String[] args) throws Exception {
        Thread writer = new Thread(() -> {
            for (int i = 1; i < 200; i++) {
                shared = new Point(i, -i); // race: UnsafePublication.shared
            }
        }, "writer");
        Thread reader = new Thread(() -> {
            int sum = 0;
            for (int i = 0; i < 200; i++) {
                Point point = shared; // race: UnsafePublication.shared
                if (point != null) {
                    sum += point.x; // race: UnsafePublication$Point.x
                    sum += point.y; // race: UnsafePublication$Point.y
                }
            }
            System.out.println(sum);
        }, "reader");
        writer.start();
        reader.start();
        writer.join();
        reader.join();
        System.out.println(shared.x);
    }
}
