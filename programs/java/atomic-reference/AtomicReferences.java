import java.util.concurrent.atomic.AtomicReference;

/**
 * Immutable tickets replace each other in an AtomicReference, in every way it knows.
 * May vary: whose ticket each thread finds, and which replacements fail.
 */
public class AtomicReferences {
    record Ticket(int owner, int sequence) {
    }

    private static final AtomicReference<Ticket> current = new AtomicReference<>(new Ticket(9, 0));

    static final class Worker extends Thread {
        private final int number;
        private long hash = 17;
        private int noise = 1;

        Worker(int number) {
            super(String.valueOf((char) ('a' + number)));
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 400; round++) {
                work(1_500);
                Ticket seen = current.get();
                Ticket mine = new Ticket(number, seen.sequence + 1);
                work(100);
                boolean done = switch (round % 12) {
                    case 0 -> current.compareAndSet(seen, mine);
                    case 1 -> current.weakCompareAndSetPlain(seen, mine);
                    case 2 -> current.weakCompareAndSetVolatile(seen, mine);
                    case 3 -> current.weakCompareAndSetAcquire(seen, mine);
                    case 4 -> current.weakCompareAndSetRelease(seen, mine);
                    case 5 -> current.compareAndExchange(seen, mine) == seen;
                    case 6 -> current.compareAndExchangeAcquire(seen, mine) == seen;
                    case 7 -> current.compareAndExchangeRelease(seen, mine) == seen;
                    case 8 -> current.getAndSet(mine) == seen;
                    case 9 -> current.updateAndGet(ticket -> new Ticket(number, ticket.sequence + 1)).sequence == seen.sequence + 1;
                    case 10 -> current.getAndAccumulate(mine, (a, b) -> new Ticket(b.owner, a.sequence + 1)) == seen;
                    default -> current.getAcquire() == seen && current.getOpaque() == seen && current.getPlain() == seen;
                };
                note(seen.owner * 1000 + seen.sequence);
                note(done ? 1 : 0);
            }
        }

        private void note(long value) {
            hash = hash * 31 + value;
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

    public static void main(String[] args) throws Exception {
        Worker[] workers = new Worker[3];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i);
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
            System.out.println(worker.getName() + " hash " + Long.toHexString(worker.hash));
        }
    }
}
