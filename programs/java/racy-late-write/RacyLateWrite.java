/**
 * An object is published through a volatile field, and its maker goes on writing to it afterwards.
 * May vary: how much of what comes late each reader sees.
 */
public class RacyLateWrite {
    static final class Report {
        private final int number;
        private int lines;
        private String title;

        Report(int number) {
            this.number = number;
            this.lines = 1;
        }
    }

    private static volatile Report current = new Report(-1);

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
            for (int round = 0; round < 600; round++) {
                work(1_000);
                if (number == 0) {
                    Report report = new Report(round);
                    report.title = "draft".concat(String.valueOf(round));
                    current = report;
                    work(1_000);
                    report.lines += 10;
                    report.title = "final".concat(String.valueOf(round));
                    for (int i = 0; i < 5; i++) {
                        work(200);
                        report.lines++;
                    }
                } else {
                    Report report = current;
                    note(report.number);
                    note(report.lines);
                    work(300);
                    note(report.title == null ? 0 : report.title.hashCode());
                    note(report.lines);
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
        System.out.println("last " + current.title + " lines " + current.lines);
    }
}
