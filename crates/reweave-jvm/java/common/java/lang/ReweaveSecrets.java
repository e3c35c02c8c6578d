package java.lang;

/**
 * Variables of the environment whose names look secret: their values are kept only if the program asks for them. The environment comes as names and
 * values by turns.
 */
final class ReweaveSecrets {
    private static final String[] WORDS = {"SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "KEY", "AUTH", "COOKIE"};
    private static final byte[] MASK = {'*', '*', '*'};
    /** Sites of facts about variables begin here; hashes of their names lie above. */
    private static final int FIRST_SITE = 0x40000000;

    private ReweaveSecrets() {}

    static boolean looksSecret(String name) {
        for (String word : WORDS) if (contains(name, word)) return true;
        return false;
    }

    private static boolean contains(String name, String word) {
        for (int from = 0; from + word.length() <= name.length(); from++) {
            int same = 0;
            while (same < word.length() && upper(name.charAt(from + same)) == word.charAt(same)) same++;
            if (same == word.length()) return true;
        }
        return false;
    }

    private static char upper(char c) {
        return c >= 'a' && c <= 'z' ? (char) (c - 32) : c;
    }

    private static String name(byte[] bytes) {
        char[] chars = new char[bytes.length];
        for (int i = 0; i < chars.length; i++) chars[i] = (char) (bytes[i] & 0xff);
        return new String(chars);
    }

    /** The site of the fact that is the value of this variable. */
    static int site(byte[] name) {
        int h = 7;
        for (byte one : name) h = h * 31 + one;
        return FIRST_SITE | h & FIRST_SITE - 1;
    }

    static byte[][] masked(byte[][] environment) {
        byte[][] masked = new byte[environment.length][];
        for (int i = 0; i < environment.length; i++) masked[i] = i % 2 == 1 && looksSecret(name(environment[i - 1])) ? MASK : environment[i];
        return masked;
    }

    /** Whether the value at this place is not the real one. */
    static boolean isMasked(byte[][] environment, int i) {
        return i % 2 == 1 && looksSecret(name(environment[i - 1]));
    }

    static boolean isNamed(byte[] bytes, String name) {
        return name.length() == 0 || name(bytes).equals(name);
    }
}
