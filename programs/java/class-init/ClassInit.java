/**
 * Threads race to use classes whose static initialisers take a common monitor and use other classes, without a cycle.
 * May vary: which thread initialises which class, and the order.
 */
public class ClassInit {
    static final class Registry {
        private static final StringBuilder log = new StringBuilder();
        private static int count;

        static synchronized int register(String name) {
            log.append(name).append('=').append(Thread.currentThread().getName()).append(' ');
            return ++count;
        }
    }

    /** Holds everyone back until all are there. */
    static final class Gate {
        private boolean open;

        synchronized void open() {
            open = true;
            notifyAll();
        }

        synchronized void pass() {
            while (!open) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private static final Gate gate = new Gate();

    static class Base {
        static final int NUMBER = Registry.register("Base");
        static int uses;

        static synchronized void use() {
            uses++;
        }
    }

    static final class Left extends Base {
        static final int NUMBER = Registry.register("Left");

        static int number() {
            return NUMBER;
        }
    }

    static final class Right extends Base {
        static final int NUMBER = Registry.register("Right");

        static int number() {
            return NUMBER;
        }
    }

    static final class Both {
        static final int SUM = Left.number() + Right.number();
        static final int NUMBER = Registry.register("Both");

        static int number() {
            return NUMBER + SUM;
        }
    }

    static final class Lone {
        static final int NUMBER = Registry.register("Lone");

        static int number() {
            return NUMBER;
        }
    }

    static final class Failing {
        static final int NUMBER = fail();

        private static int fail() {
            Registry.register("Failing");
            throw new IllegalStateException("as planned");
        }
    }

    static final class User extends Thread {
        private final int number;
        private int sum;
        private String failure = "none";
        private int noise = 1;

        User(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            gate.pass();
            for (int step = 0; step < 6; step++) {
                work(20_000);
                switch ((step + number) % 6) {
                    case 0 -> sum += Left.number();
                    case 1 -> sum += Right.number();
                    case 2 -> sum += Both.number();
                    case 3 -> sum += Lone.number();
                    case 4 -> Base.use();
                    default -> useFailing();
                }
            }
        }

        private void useFailing() {
            try {
                sum += Failing.NUMBER;
            } catch (ExceptionInInitializerError e) {
                failure = "first";
            } catch (NoClassDefFoundError e) {
                failure = "later";
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
        User[] users = new User[6];
        for (int i = 0; i < users.length; i++) {
            users[i] = new User(i);
        }
        for (User user : users) {
            user.start();
        }
        gate.open();
        StringBuilder failures = new StringBuilder();
        int sum = 0;
        for (User user : users) {
            user.join();
            sum += user.sum;
            failures.append(' ').append(user.failure);
        }
        System.out.println("initialised " + Registry.log);
        System.out.println("sum " + sum + " failing" + failures);
        System.out.println("classes " + Registry.count + " uses " + Base.uses);
    }
}
