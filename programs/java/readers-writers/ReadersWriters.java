/**
 * A readers-writers lock made of one monitor; the document it guards is touched outside that monitor.
 * May vary: which version each reader saw, and how many readers were inside together. A reader never sees half a version.
 */
public class ReadersWriters {
    static final class SharedLock {
        private int readers;
        private boolean writing;
        private int writersWaiting;
        private int mostReaders;

        synchronized void lockShared() throws InterruptedException {
            while (writing || writersWaiting > 0) {
                wait();
            }
            readers++;
            mostReaders = Math.max(mostReaders, readers);
        }

        synchronized void unlockShared() {
            if (--readers == 0) {
                notifyAll();
            }
        }

        synchronized void lockExclusive() throws InterruptedException {
            writersWaiting++;
            while (writing || readers > 0) {
                wait();
            }
            writersWaiting--;
            writing = true;
        }

        synchronized void unlockExclusive() {
            writing = false;
            notifyAll();
        }
    }

    private static final SharedLock lock = new SharedLock();
    private static final int[] document = new int[8];

    static final class Party extends Thread {
        private final boolean writes;
        private int torn;
        private int hash = 17;
        private final StringBuilder seen = new StringBuilder();
        private int noise = 1;

        Party(String name, boolean writes) {
            super(name);
            this.writes = writes;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < (writes ? 60 : 100); i++) {
                    work(10_000);
                    if (writes) {
                        write();
                    } else {
                        read();
                    }
                    Thread.yield();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void write() throws InterruptedException {
            lock.lockExclusive();
            for (int i = 0; i < document.length; i++) {
                document[i]++;
                work(200);
            }
            lock.unlockExclusive();
        }

        private void read() throws InterruptedException {
            lock.lockShared();
            int version = document[0];
            for (int part : document) {
                torn += part == version ? 0 : 1;
                work(200);
            }
            lock.unlockShared();
            hash = hash * 31 + version;
            seen.append(' ').append(version);
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
        Party[] parties = {
            new Party("w1", true), new Party("r1", false), new Party("r2", false), new Party("w2", true), new Party("r3", false)
        };
        for (Party party : parties) {
            party.start();
        }
        int torn = 0;
        for (Party party : parties) {
            party.join();
            torn += party.torn;
        }
        for (Party party : parties) {
            if (!party.writes) {
                System.out.println(party.getName() + " saw" + party.seen.substring(0, 40) + " hash " + Integer.toHexString(party.hash));
            }
        }
        System.out.println("most readers " + lock.mostReaders);
        System.out.println("version " + document[0] + " torn " + torn);
    }
}
