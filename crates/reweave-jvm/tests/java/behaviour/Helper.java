import java.lang.reflect.InvocationTargetException;

/** What rewritten test programs call: says what it was called for. */
public final class Helper {
    /** A lock on which {@link #after} fails. */
    static Object poisoned;

    private static void say(String text) { System.out.println("  " + text); }

    public static void before(Object lock, int site) {
        say("before " + name(lock) + (Thread.holdsLock(lock) ? ", held" : ""));
    }

    public static void after(Object lock, int site) {
        say("after " + name(lock) + (Thread.holdsLock(lock) ? ", held" : ""));
        if (lock == poisoned) throw new IllegalStateException("poisoned");
    }

    /** Whether {@link #left} fails, once. */
    static boolean broken;

    public static void left() {
        say("left");
        if (broken) {
            broken = false;
            throw new IllegalStateException("left");
        }
    }

    static String name(Object lock) {
        return lock instanceof Class<?> type ? type.getName() + ".class" : lock.getClass().getName();
    }

    public static void enter() { say("enter"); }
    public static void leave() { say("leave"); }
    public static void initialiserEnter(int hash) { say("initialiser enter"); }
    public static void initialiserLeave() { say("initialiser leave"); }
    public static void entered(Object self, int number, long large, String text, int site) {
        say("entered " + number + " " + large + " " + text);
    }
    public static void enteredStatic(int site) { say("entered static"); }
    public static String argument(String argument) { return "replaced " + argument; }

    public static String redirected(Object self, String text, double number, int site) {
        say("redirected " + text + " " + number);
        try {
            return (String) self.getClass().getMethod("$rw$greet", String.class, double.class).invoke(self, text, number);
        } catch (InvocationTargetException failure) {
            throw (RuntimeException) failure.getCause();
        } catch (ReflectiveOperationException failure) {
            throw new IllegalStateException(failure);
        }
    }

    public static int shortcut(Object self, int number, int site) {
        say("asked " + number);
        return number > 5 ? -1 : number;
    }

    public static void signalAll(Object lock, int site) { say("signalAll by call"); lock.notifyAll(); }
    public static void signalAll(Object lock) { say("signalAll by handle"); lock.notifyAll(); }
    public static int absolute(int value, int site) { say("absolute by call"); return Math.abs(value); }
    public static int absolute(int value) { say("absolute by handle"); return Math.abs(value); }
    public static int size(java.util.Collection<?> all, int site) { say("size by call"); return all.size(); }
    public static int size(java.util.Collection<?> all) { say("size by handle"); return all.size(); }
}
