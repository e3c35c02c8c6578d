import java.util.function.Supplier;

/**
 * Many classes, and for each of them two threads that lock and wait on objects of their own at the
 * same instant, with nobody before them: whatever is found out about a class when it is first used
 * must be the same after the wait as before it.
 * May vary: in which order the threads come back.
 */
public class FirstWaits {
    static class Box {}

    static final class Box0 extends Box {}
    static final class Box1 extends Box {}
    static final class Box2 extends Box {}
    static final class Box3 extends Box {}
    static final class Box4 extends Box {}
    static final class Box5 extends Box {}
    static final class Box6 extends Box {}
    static final class Box7 extends Box {}
    static final class Box8 extends Box {}
    static final class Box9 extends Box {}
    static final class Box10 extends Box {}
    static final class Box11 extends Box {}
    static final class Box12 extends Box {}
    static final class Box13 extends Box {}
    static final class Box14 extends Box {}
    static final class Box15 extends Box {}
    static final class Box16 extends Box {}
    static final class Box17 extends Box {}
    static final class Box18 extends Box {}
    static final class Box19 extends Box {}
    static final class Box20 extends Box {}
    static final class Box21 extends Box {}
    static final class Box22 extends Box {}
    static final class Box23 extends Box {}

    private static final Supplier<?>[] MAKERS = {
        Box0::new, Box1::new, Box2::new, Box3::new, Box4::new, Box5::new,
        Box6::new, Box7::new, Box8::new, Box9::new, Box10::new, Box11::new,
        Box12::new, Box13::new, Box14::new, Box15::new, Box16::new, Box17::new,
        Box18::new, Box19::new, Box20::new, Box21::new, Box22::new, Box23::new,
    };

    private static final StringBuffer order = new StringBuffer();
    private static volatile int round = -1;

    static final class Waiter extends Thread {
        private final Object[] boxes = new Object[MAKERS.length];

        Waiter(String name) {
            super(name);
            for (int i = 0; i < boxes.length; i++) {
                boxes[i] = MAKERS[i].get();
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < boxes.length; i++) {
                while (round < i) {
                    Thread.onSpinWait();
                }
                Object box = boxes[i];
                synchronized (box) {
                    try {
                        box.wait(1);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                order.append(getName());
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Waiter a = new Waiter("a"), b = new Waiter("b");
        a.start();
        b.start();
        for (int i = 0; i < MAKERS.length; i++) {
            Thread.sleep(2);
            round = i;
        }
        a.join();
        b.join();
        System.out.println("order " + order);
    }
}
