import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A ring for one writer and one reader: plain elements, positions with release and acquire by VarHandle. */
public class ReleaseAcquire {
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(ReleaseAcquire.class, "head", int.class);
            TAIL = MethodHandles.lookup().findVarHandle(ReleaseAcquire.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int[] ring = new int[8];
    private int head;
    private int tail;

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            while (i - (int) HEAD.getAcquire(this) == ring.length) Thread.yield();
            ring[i % ring.length] = i;
            TAIL.setRelease(this, i + 1);
        }
    }

    private void receive(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            while ((int) TAIL.getAcquire(this) == i) Thread.yield();
            sum += ring[i % ring.length];
            HEAD.setRelease(this, i + 1);
        }
        System.out.println(sum);
    }

    public static void main(String[] args) throws Exception {
        ReleaseAcquire shared = new ReleaseAcquire();
        Thread a = new Thread(() -> shared.send(60), "a");
        Thread b = new Thread(() -> shared.receive(60), "b");
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
