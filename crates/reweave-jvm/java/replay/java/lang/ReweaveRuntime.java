package java.lang;

import static java.lang.ReweaveEvent.*;

/** What Runtime said about the machine: processors, memory. Called by the agent in place of its native methods. */
final class ReweaveRuntime {
    private ReweaveRuntime() {}

    static native long original(int which);

    static long figure(int which) {
        if (!Reweave.ready) return original(which);
        Thread t = Thread.currentThread();
        int site = FIRST_FIGURE_SITE + which;
        if (t.$rwStream > 0 && t.$rwQuiet == 0) return Reweave.given(original(which), site);
        Object fact = which < 2 ? ReweaveInput.fact(t, site) : null;
        return fact == null ? original(which) : (Long) fact;
    }
}
