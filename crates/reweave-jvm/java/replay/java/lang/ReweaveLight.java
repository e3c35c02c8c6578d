package java.lang;

import java.util.concurrent.locks.LockSupport;

/**
 * Virtual threads in a replay. They must not wait inside the agent, because that would hold the thread that carries them: they park instead, and a thread of ours unparks
 * those whose turn has come. What the JDK does at the end of a virtual thread, on its carrier, may have to wait as well; it gets a thread of its own.
 */
final class ReweaveLight {
    /** Answers of the agent: no longer enforced, go on, not yet, never. */
    static final int OFF = 0, GO = 1, LATER = 2, STOP = 3;

    /** The threads by stream. */
    private static Thread[] threads;

    private ReweaveLight() {}

    /** The stream is that of a virtual thread. Returns the number of streams. */
    private static native int add(int stream);
    /** Waits for a stream whose thread should ask again. */
    private static native int next();

    /** A virtual thread is about to be started. */
    static void prepare(Thread t, Thread virtual) {
        int streams = add(virtual.$rwStream);
        synchronized (ReweaveLight.class) {
            if (threads == null) {
                threads = new Thread[streams + 1];
                ReweaveQuiet.enter(t);
                new Unparker().start();
                ReweaveQuiet.leave(t);
            }
            threads[virtual.$rwStream] = virtual;
        }
    }

    private static final class Unparker extends Thread {
        Unparker() {
            super("reweave-unparker");
            setDaemon(true);
        }

        @Override
        public void run() {
            for (int stream; (stream = next()) > 0; ) LockSupport.unpark(threads[stream]);
        }
    }

    static int turn(Thread t, int kind, int site, Object o, int answer) {
        boolean flag = false;
        while (answer > GO) {
            flag |= stand();
            if (answer == LATER) answer = Reweave.before(t.$rwStream, kind, site, o);
        }
        if (flag) t.$rw$interrupt();
        return answer;
    }

    static int ask(Thread t, int site, int answer) {
        boolean flag = false;
        while (answer > GO) {
            flag |= stand();
            if (answer == LATER) answer = ReweaveMemory.ask(t.$rwStream, site);
        }
        if (flag) t.$rw$interrupt();
        return answer;
    }

    static int begun(Thread t, Class<?> type) {
        boolean flag = false;
        int answer;
        do {
            flag |= stand();
            answer = Reweave.begun(type, t.$rwStream);
        } while (answer == LATER);
        if (flag) t.$rw$interrupt();
        return answer;
    }

    /** Parks; a thread with its interrupt flag set would not. Returns whether it was set. */
    private static boolean stand() {
        boolean flag = Thread.$rw$interrupted();
        LockSupport.park();
        return flag;
    }

    static void end(VirtualThread virtual, boolean notifyContainer) {
        Thread t = Thread.currentThread();
        ReweaveQuiet.enter(t);
        Ender ender = new Ender(virtual, notifyContainer);
        ender.$rwStream = virtual.$rwStream;
        ender.$rwSlot = virtual.$rwSlot;
        ender.$rwProbe = virtual.$rwProbe;
        threads[virtual.$rwStream] = ender;
        ender.start();
        ReweaveQuiet.leave(t);
    }

    private static final class Ender extends Thread {
        private final VirtualThread virtual;
        private final boolean notifyContainer;

        Ender(VirtualThread virtual, boolean notifyContainer) {
            super("reweave-ender");
            setDaemon(true);
            this.virtual = virtual;
            this.notifyContainer = notifyContainer;
        }

        @Override
        public void run() {
            virtual.$rw$afterDone(notifyContainer);
            if ($rwStream > 0) Reweave.ended($rwStream);
            $rwSlot = 0;
            $rwStream = -1;
        }
    }
}
