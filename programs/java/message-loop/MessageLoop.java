import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * A looper thread with a message queue, as user interfaces have it: messages at once, delayed, at the front of the queue, and removed.
 * Delays count in ticks of a timed wait, so no clock is read.
 * May vary: the order in which the looper handles the messages, and how many were still there to be removed.
 */
public class MessageLoop {
    static final class Message {
        final String what;
        int ticks;

        Message(String what, int ticks) {
            this.what = what;
            this.ticks = ticks;
        }
    }

    static final class Looper extends Thread {
        private final ArrayDeque<Message> due = new ArrayDeque<>();
        private final List<Message> delayed = new ArrayList<>();
        private boolean quitting;
        private final List<String> handled = new ArrayList<>();

        Looper() {
            super("looper");
        }

        synchronized void post(String what) {
            due.addLast(new Message(what, 0));
            notify();
        }

        synchronized void postAtFront(String what) {
            due.addFirst(new Message(what, 0));
            notify();
        }

        synchronized void postDelayed(String what, int ticks) {
            delayed.add(new Message(what, ticks));
            notify();
        }

        synchronized int remove(String what) {
            int before = due.size() + delayed.size();
            due.removeIf(message -> message.what.equals(what));
            delayed.removeIf(message -> message.what.equals(what));
            return before - due.size() - delayed.size();
        }

        synchronized void quit() {
            quitting = true;
            notify();
        }

        private synchronized Message next() throws InterruptedException {
            while (due.isEmpty()) {
                if (!delayed.isEmpty()) {
                    wait(1);
                    tick();
                } else if (quitting) {
                    return null;
                } else {
                    wait();
                }
            }
            return due.removeFirst();
        }

        private void tick() {
            for (Iterator<Message> messages = delayed.iterator(); messages.hasNext(); ) {
                Message message = messages.next();
                if (--message.ticks <= 0) {
                    messages.remove();
                    due.addLast(message);
                }
            }
        }

        @Override
        public void run() {
            try {
                for (Message message = next(); message != null; message = next()) {
                    handled.add(message.what);
                    if (message.what.startsWith("echo")) {
                        postDelayed("back" + message.what.substring(4), 1);
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Poster extends Thread {
        private final Looper looper;
        private int removed;
        private int noise = 1;

        Poster(String name, Looper looper) {
            super(name);
            this.looper = looper;
        }

        @Override
        public void run() {
            for (int i = 0; i < 30; i++) {
                work(2000);
                String label = getName() + i;
                switch (i % 5) {
                    case 0 -> looper.postDelayed(label, 1 + i % 3);
                    case 1 -> looper.post("echo" + label);
                    case 2 -> looper.postAtFront(label);
                    case 3 -> looper.post("idle");
                    default -> removed += looper.remove("idle");
                }
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
        Looper looper = new Looper();
        Poster[] posters = {new Poster("p", looper), new Poster("q", looper)};
        looper.start();
        for (Poster poster : posters) {
            poster.start();
        }
        int removed = 0;
        for (Poster poster : posters) {
            poster.join();
            removed += poster.removed;
        }
        looper.quit();
        looper.join();
        int idle = 0;
        for (String what : looper.handled) {
            idle += what.equals("idle") ? 1 : 0;
        }
        System.out.println("messages " + (looper.handled.size() - idle) + " idle " + (idle + removed) + " removed " + removed);
        System.out.println("first " + looper.handled.subList(0, 12));
        System.out.println("hash " + Integer.toHexString(looper.handled.hashCode()));
    }
}
