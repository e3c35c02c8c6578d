import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** What is in the message when it is sent is ordered; what is written to it afterwards is not. */
public class LateWrite {
    static final class Message {
        int early;
        int late;
    }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Message> queue = new LinkedBlockingQueue<>();
        Thread receiver = new Thread(() -> {
            try {
                for (int i = 0; i < 20; i++) {
                    Message message = queue.take();
                    int sum = message.early;
                    sum += message.late; // race: LateWrite$Message.late
                    if (sum < 0) System.out.println("negative");
                }
            } catch (InterruptedException e) {
                return;
            }
        }, "receiver");
        receiver.start();
        for (int i = 0; i < 20; i++) {
            Message message = new Message();
            message.early = i;
            queue.put(message);
            message.late = i; // race: LateWrite$Message.late
        }
        receiver.join();
    }
}
