/**
 * Double-checked locking without volatile, on many singletons in a row.
 * May vary: who makes which, and what those see who do not look a second time.
 */
public class RacyDoubleCheck {
    static final class Service {
        private final String maker;
        private int uses;

        Service(String maker) {
            this.maker = maker;
        }
    }

    private static final Service[] services = new Service[300];

    private static Service service(int i, String maker) {
        Service found = services[i];
        if (found == null) {
            synchronized (services) {
                found = services[i];
                if (found == null) {
                    found = new Service(maker);
                    services[i] = found;
                }
            }
        }
        return found;
    }

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
            for (int round = 0; round < 300; round++) {
                work(1_500);
                Service service = service(round, getName());
                note(service.maker.charAt(0));
                note(service.uses++);
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
        StringBuilder makers = new StringBuilder();
        int uses = 0;
        for (Service service : services) {
            makers.append(service.maker);
            uses += service.uses;
        }
        System.out.println("makers " + makers.substring(0, 60) + " uses " + (uses <= 900));
    }
}
