package java.lang;

import static java.lang.ReweaveRule.*;

/** Child processes in a replay. Those that are JVMs have recordings of their own and are started again; all others exist in the recording only. */
final class ReweaveChildren {
    /** Added to the numbers of processes that exist in the recording only: no real one has such a number. */
    private static final int AWAY = 1 << 24;

    private ReweaveChildren() {}

    /** A descriptor from which nothing comes and where everything vanishes. */
    static native int nothing();
    static native void close(int number);
    /** Of this process, and of the one that was recorded. */
    static native long pid();
    static native long recordedPid();

    static boolean really(Object[] arguments, int rule) {
        // A call on a child that is there: it is waited for.
        if (gives(rule) != PROCESS) return ReweaveRule.U.getInt(arguments[0], ReweaveRule.U.objectFieldOffset(arguments[0].getClass(), "pid")) < AWAY;
        if (!isReplayed((byte[]) arguments[4])) return false;
        int[] given = (int[]) arguments[fillAt(rule)];
        int[] ours = new int[given.length];
        for (int i = 0; i < given.length; i++) {
            ours[i] = -1;
            // What goes through pipes and files comes from the recordings, on both sides.
            if (given[i] == -1 || given[i] >= ReweaveInput.AWAY) given[i] = ours[i] = nothing();
        }
        arguments[arguments.length - 1] = ours;
        return true;
    }

    /** Whether the words of the command have our option among them. */
    private static boolean isReplayed(byte[] words) {
        String[] options = ReweaveQuiet.childOptions;
        if (options == null || words == null) return false;
        byte[] option = options[0].getBytes();
        for (int at = 0; at + option.length <= words.length; at++) {
            int same = 0;
            while (same < option.length && words[at + same] == option[same]) same++;
            if (same == option.length) return true;
        }
        return false;
    }

    /** A word that is the number of the recorded process means this one: helpers that put an agent into the program that starts them get it. */
    static String[] withOurPid(String[] command) {
        String was = Long.toString(recordedPid());
        for (int i = 1; command != null && i < command.length; i++) {
            if (!was.equals(command[i])) continue;
            String[] changed = command.clone();
            changed[i] = Long.toString(pid());
            return changed;
        }
        return command;
    }

    static void started(int number, Object[] arguments, int rule) {
        for (int ours : (int[]) arguments[arguments.length - 1]) if (ours >= 0) close(ours);
        arguments[arguments.length - 1] = number;
    }

    /** The number of a new process, after its pipes were given the numbers that they had. */
    static long number(long recorded, Object[] arguments, int rule) {
        int[] pipes = (int[]) arguments[fillAt(rule)];
        for (int i = 0; i < pipes.length; i++) pipes[i] = ReweaveInput.away(pipes[i]);
        Object real = arguments[arguments.length - 1];
        return real instanceof Integer ? (Integer) real : recorded < 0 ? recorded : recorded + AWAY;
    }
}
