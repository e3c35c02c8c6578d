import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Calendar;
import java.util.Date;
import java.util.TimeZone;

/** The time zone of the machine, and dates that depend on it. */
public class Zones {
    public static void main(String[] arguments) throws InterruptedException {
        Thread a = new Thread(() -> System.out.println("zone " + ZoneId.systemDefault() + " " + TimeZone.getDefault().getRawOffset()), "a");
        Thread b = new Thread(() -> System.out.println("epoch " + new Date(0) + " now " + new Date()), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println("local " + LocalDateTime.now());
        System.out.println("zoned " + ZonedDateTime.now().format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        System.out.println("hour " + Calendar.getInstance().get(Calendar.ZONE_OFFSET) + " " + System.currentTimeMillis());
    }
}
