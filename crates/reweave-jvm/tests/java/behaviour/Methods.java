public class Methods {
    interface Late {
        Object MADE = Methods.say("interface initialised");
        default void use() {}
    }
    static class Broken { static { if (true) throw new IllegalArgumentException("in the initialiser"); } }

    static Object say(String text) { System.out.println(text); return text; }

    void entry(int number, long large, String text) { say("body " + number + " " + large + " " + text); }
    static void plain() { say("static body"); }
    synchronized int bracket(int value) { return 10 / value; }
    static String argument(long unused, String text) { return text; }
    int shortcut(int number) {
        while (number > 10) number -= 10;
        if (number == 9) throw new IllegalStateException("nine");
        return number;
    }
    @Deprecated synchronized String greet(String text, double number) {
        if (number < 0) throw new IllegalArgumentException("negative");
        return text + " " + number + " " + Thread.holdsLock(this);
    }

    public static void main(String[] arguments) throws Exception {
        Methods methods = new Methods();
        methods.entry(1, 2, "three");
        plain();
        say("bracket " + methods.bracket(5));
        try { methods.bracket(0); } catch (ArithmeticException failure) { say("divided"); }
        say(argument(0, "me"));
        say(methods.greet("hello", 1.5));
        try { methods.greet("hello", -1); } catch (IllegalArgumentException failure) { say(failure.getMessage()); }
        say("deprecated " + Methods.class.getDeclaredMethod("greet", String.class, double.class).isAnnotationPresent(Deprecated.class));
        say("at once " + methods.shortcut(5));
        say("later " + methods.shortcut(28));
        try { methods.shortcut(9); } catch (IllegalStateException failure) { say(failure.getMessage()); }
        new Late() {}.use();
        try { new Broken(); } catch (ExceptionInInitializerError error) { say(error.getCause().getMessage()); }
    }
}
