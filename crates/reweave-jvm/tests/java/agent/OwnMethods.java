/** Subclasses of Thread that have methods of their own in place of Thread's. */
public class OwnMethods {
    static class Reader extends Thread {
        private boolean closed;

        Reader(String name) { super(name); }

        @Override public void run() {
            synchronized (this) {
                try {
                    while (true) wait();
                } catch (InterruptedException e) {
                    System.out.println(getName() + " interrupted, closed " + closed);
                }
            }
            sleep(5);
        }

        @Override public void interrupt() {
            synchronized (this) {
                closed = true;
            }
            System.out.println(getName() + ": my interrupt");
            super.interrupt();
        }

        @Override public boolean isInterrupted() {
            return super.isInterrupted() || closed;
        }

        public static void sleep(long millis) { System.out.println("my sleep " + millis); }
    }

    static class Child extends Reader {
        Child(String name) { super(name); }
    }

    public static void main(String[] arguments) throws Exception {
        Thread byThread = new Reader("by thread");
        Reader byName = new Reader("by name"), byReference = new Child("by reference");
        for (Thread thread : new Thread[] {byThread, byName, byReference}) thread.start();
        byThread.interrupt();
        byThread.join();
        byName.interrupt();
        byName.join();
        java.util.List.of(byReference).forEach(Thread::interrupt);
        byReference.join();
        System.out.println(byThread.isInterrupted() + " " + byName.isInterrupted());
        Reader.sleep(6);
        Child.sleep(7);
        Thread.sleep(1);
        Thread nobody = null;
        try {
            nobody.isAlive();
        } catch (NullPointerException e) {
            System.out.println(e.getStackTrace()[0].getClassName());
        }
        try {
            nobody.interrupt();
        } catch (NullPointerException e) {
            System.out.println(e.getStackTrace()[0].getClassName());
        }
    }
}
