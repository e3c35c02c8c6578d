import java.util.concurrent.atomic.AtomicMarkableReference;

/**
 * Jobs in a row of markable references: whoever marks one first owns it, then replaces it by a finished one.
 * May vary: who owns which job.
 */
public class AtomicMarkable {
    record Job(int number, int owner) {
    }

    private static final AtomicMarkableReference<Job>[] jobs = jobs(300);

    @SuppressWarnings("unchecked")
    private static AtomicMarkableReference<Job>[] jobs(int count) {
        AtomicMarkableReference<Job>[] jobs = new AtomicMarkableReference[count];
        for (int i = 0; i < count; i++) {
            jobs[i] = new AtomicMarkableReference<>(new Job(i, -1), false);
        }
        return jobs;
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
                work(1_000);
                AtomicMarkableReference<Job> place = jobs[round];
                Job job = place.getReference();
                if (job.owner < 0 && place.attemptMark(job, true) && place.compareAndSet(job, new Job(round, number), true, true)) {
                    note(round);
                    work(2_000);
                } else {
                    boolean[] marked = new boolean[1];
                    Job other = place.get(marked);
                    note(marked[0] ? -other.owner - 2 : 0);
                }
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
        int finished = 0;
        StringBuilder owners = new StringBuilder();
        for (AtomicMarkableReference<Job> place : jobs) {
            finished += place.isMarked() ? 1 : 0;
            owners.append(place.getReference().owner);
        }
        System.out.println("owners " + owners.substring(0, 60));
        System.out.println("finished " + finished);
    }
}
