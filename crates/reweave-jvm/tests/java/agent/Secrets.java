/** Reads one variable of its environment. */
public class Secrets {
    public static void main(String[] arguments) {
        System.out.println(System.getenv(System.getProperty("variable")));
    }
}
