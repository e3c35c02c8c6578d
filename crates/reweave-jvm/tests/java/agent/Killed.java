import java.util.Date;

/** Prints, sleeps as long as it is told to (while it is recorded it is killed in its sleep), computes, prints again. */
public class Killed {
    public static void main(String[] arguments) throws Exception {
        System.out.println("before");
        Thread.sleep(Long.getLong("sleep"));
        long end = new Date().getTime() + 1_500;
        while (new Date().getTime() < end) Thread.onSpinWait();
        System.out.println("after");
    }
}
