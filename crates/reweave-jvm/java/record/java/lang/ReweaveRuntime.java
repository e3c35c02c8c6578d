package java.lang;

import static java.lang.ReweaveEvent.*;

/** What Runtime says about the machine: processors, memory. Called by the agent in place of its native methods. */
final class ReweaveRuntime {
    private ReweaveRuntime() {}

    /** What the VM says: 0 processors, 1 most memory, 2 free memory, 3 memory in all. */
    static native long original(int which);

    /** What the JDK asks the machine and its user before the program begins. The agent has the same list. */
    private static final String[] PROPERTIES = {"user.name", "user.home", "os.version", "user.language", "user.script", "user.country", "user.variant"};

    static void keepProperties() {
        Thread t = Thread.currentThread();
        for (int i = 0; i < PROPERTIES.length; i++) {
            String value = System.getProperty(PROPERTIES[i]);
            if (value != null) ReweaveInput.fact(t, value, FIRST_PROPERTY_SITE + i);
        }
    }

    static long figure(int which) {
        long figure = original(which);
        if (!Reweave.ready) return figure;
        Thread t = Thread.currentThread();
        int site = FIRST_FIGURE_SITE + which;
        if (t.$rwStream > 0 && t.$rwQuiet == 0) ReweaveLog.value(t, VALUE, site, 0, 0, figure);
        // What the JDK asks for itself is only asked again if it does not change.
        else if (which < 2) ReweaveInput.fact(t, figure, site);
        return figure;
    }
}
