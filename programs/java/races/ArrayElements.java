/** Two threads share some elements of an array; most are used by one of them alone. */
public class ArrayElements {
    public static void main(String[] args) throws Exception {
        int[] cells = new int[64];
        Thread low = new Thread(() -> {
            for (int i = 0; i < 40; i++) {
                cells[i]++; // race: element of int[]
            }
        }, "low");
        Thread high = new Thread(() -> {
            for (int i = 30; i < 64; i++) {
                cells[i]++; // race: element of int[]
            }
        }, "high");
        low.start();
        high.start();
        low.join();
        high.join();
        System.out.println(cells[0] + cells[63]);
    }
}
