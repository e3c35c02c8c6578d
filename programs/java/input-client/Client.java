import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Asks a server that is there when it is recorded and gone when it is replayed. */
public class Client {
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv("PORT"));
        try (Socket socket = new Socket("127.0.0.1", port)) {
            PrintWriter out = new PrintWriter(socket.getOutputStream(), true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            for (int i = 0; i < 3; i++) {
                out.println("question " + i + " at " + System.nanoTime());
                System.out.println(in.readLine());
            }
            System.out.println("from " + socket.getLocalSocketAddress() + " to " + socket.getRemoteSocketAddress());
        }
        try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
            channel.write(ByteBuffer.wrap("by channel\n".getBytes()));
            ByteBuffer buffer = ByteBuffer.allocate(100);
            while (buffer.position() == 0 || buffer.get(buffer.position() - 1) != '\n') channel.read(buffer);
            System.out.print(StandardCharsets.UTF_8.decode(buffer.flip()));
            System.out.println("from " + channel.getLocalAddress());
        }
        System.out.println("localhost " + InetAddress.getByName("localhost"));
        try {
            System.out.println(InetAddress.getByName("no-such-host.invalid"));
        } catch (UnknownHostException e) {
            System.out.println("unknown " + e.getMessage());
        }
        try {
            new Socket("127.0.0.1", 1).close();
        } catch (ConnectException e) {
            System.out.println("refused " + e.getMessage());
        }
    }
}
