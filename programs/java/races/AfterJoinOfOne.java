/** Main joins one of two threads and reads what both have written. */
public class AfterJoinOfOne {
    private static int first;
    private static int second;

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> first = 1, "a");
        Thread b = new Thread(() -> {
            second = 2; // race: AfterJoinOfOne.second
        }, "b");
        a.start();
        b.start();
        a.join();
        int sum = first;
        sum += second; // race: AfterJoinOfOne.second
        System.out.println(sum > 0);
        b.join();
        System.out.println(first + second);
    }
}
