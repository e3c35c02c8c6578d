/** What a virtual machine costs that does nothing. */
public class Hello {
    public static void main(String[] args) {
        System.out.println("Hello, world");
    }
}
