/** A monitor held twice is given up by wait and taken back; what was written meanwhile may be read. */
public class WaitNotify {
    private final Object lock = new Object();
    private int turn;
    private int log;

    private void play(int me) {
        for (int i = 0; i < 20; i++) {
            synchronized (lock) {
                synchronized (lock) {
                    try {
                        while (turn != me) lock.wait();
                    } catch (InterruptedException e) {
                        return;
                    }
                    log = log * 31 + me;
                }
                turn = 1 - me;
                lock.notifyAll();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        WaitNotify game = new WaitNotify();
        Thread a = new Thread(() -> game.play(0), "a");
        Thread b = new Thread(() -> game.play(1), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(game.log);
    }
}
