import java.util.concurrent.CountDownLatch;

/** Three threads fill their parts, the latch says when all are done. */
public class Latch {
    public static void main(String[] args) throws Exception {
        int[] parts = new int[3];
        CountDownLatch begin = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(3);
        int[] input = {0};
        for (int i = 0; i < 3; i++) {
            int part = i;
            new Thread(() -> {
                try {
                    begin.await();
                } catch (InterruptedException e) {
                    return;
                }
                parts[part] = input[0] + part;
                done.countDown();
            }).start();
        }
        input[0] = 10;
        begin.countDown();
        done.await();
        System.out.println(parts[0] + parts[1] + parts[2]);
    }
}
