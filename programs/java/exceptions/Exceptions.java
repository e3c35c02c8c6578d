/**
 * Exceptions leave synchronized methods, nested blocks and recursion, some made by the JVM itself; monitors must be free afterwards.
 * May vary: the order of the attempts and which of them fail.
 */
public class Exceptions {
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    private final Object inner = new Object();
    private final StringBuilder log = new StringBuilder();
    private int entries;

    synchronized void method(char who) throws Refused {
        entries++;
        if (entries % 3 == 0) {
            throw new Refused("method " + who);
        }
        log.append(who);
    }

    void blocks(char who) throws Refused {
        synchronized (this) {
            synchronized (inner) {
                if (++entries % 4 == 0) {
                    throw new Refused("block " + who);
                }
                log.append(who);
            }
        }
    }

    synchronized int divide(char who) {
        entries++;
        log.append(who);
        return 100 / (entries % 5);
    }

    synchronized void recursive(int depth, char who) throws Refused {
        if (depth == 0) {
            method(who);
        } else {
            try {
                recursive(depth - 1, who);
            } finally {
                log.append('\'');
            }
        }
    }

    static final class Caller extends Thread {
        private final Exceptions target;
        private final char who;
        private final int[] caught = new int[5];
        private int noise;

        Caller(Exceptions target, char who) {
            super("caller-" + who);
            this.target = target;
            this.who = who;
            noise = who;
        }

        @Override
        public void run() {
            for (int i = 0; i < 120; i++) {
                work(10_000);
                try {
                    switch (i % 6) {
                        case 0 -> target.method(who);
                        case 1 -> target.blocks(who);
                        case 2 -> noise += target.divide(who);
                        case 3 -> target.recursive(3, who);
                        case 4 -> {
                            synchronized (nothing()) {
                                target.method(who);
                            }
                        }
                        default -> target.notify();
                    }
                } catch (Refused e) {
                    caught[e.getMessage().startsWith("method") ? 0 : 1]++;
                } catch (ArithmeticException e) {
                    caught[2]++;
                } catch (NullPointerException e) {
                    caught[3]++;
                } catch (IllegalMonitorStateException e) {
                    caught[4]++;
                }
            }
        }

        private static Object nothing() {
            return null;
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
        Exceptions target = new Exceptions();
        Caller[] callers = {new Caller(target, 'a'), new Caller(target, 'b'), new Caller(target, 'c')};
        for (Caller caller : callers) {
            caller.start();
        }
        for (Caller caller : callers) {
            caller.join();
        }
        for (Caller caller : callers) {
            int[] caught = caller.caught;
            System.out.println(caller.getName() + " refused " + caught[0] + "+" + caught[1] + " divided by zero " + caught[2]
                + " null " + caught[3] + " not owner " + caught[4]);
        }
        System.out.println("entries " + target.entries + " hash " + Integer.toHexString(target.log.toString().hashCode()));
    }
}
