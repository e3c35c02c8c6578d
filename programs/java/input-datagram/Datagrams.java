import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** Three senders, one receiver: packets come in any order, from ports of any number. */
public class Datagrams {
    public static void main(String[] args) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (DatagramSocket receiver = new DatagramSocket(0, here)) {
            int port = receiver.getLocalPort();
            Thread[] senders = new Thread[3];
            for (int i = 0; i < 3; i++) {
                String name = "abc".substring(i, i + 1);
                senders[i] = new Thread(() -> {
                    try (DatagramSocket sender = new DatagramSocket(0, here)) {
                        for (int k = 0; k < 4; k++) {
                            byte[] bytes = (name + k).getBytes();
                            sender.send(new DatagramPacket(bytes, bytes.length, here, port));
                        }
                    } catch (java.io.IOException e) {
                        e.printStackTrace(System.out);
                    }
                });
                senders[i].start();
            }
            DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            for (int i = 0; i < 12; i++) {
                receiver.receive(packet);
                System.out.println("packet " + new String(packet.getData(), 0, packet.getLength()) + " from " + packet.getPort());
            }
            for (Thread sender : senders) sender.join();
            receiver.setSoTimeout(10);
            try {
                receiver.receive(packet);
            } catch (SocketTimeoutException e) {
                System.out.println("nothing: " + e.getMessage());
            }
        }
        try (DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(here, 0))) {
            channel.send(ByteBuffer.wrap("to myself".getBytes()), channel.getLocalAddress());
            ByteBuffer buffer = ByteBuffer.allocate(20);
            System.out.println("channel " + channel.receive(buffer).equals(channel.getLocalAddress()) + " " + buffer.position());
        }
    }
}
