import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A Unix domain socket between two threads, and a pipe. */
public class UnixSockets {
    public static void main(String[] arguments) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(Path.of("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            Thread client = new Thread(() -> send(address), "client");
            client.start();
            try (SocketChannel peer = server.accept()) {
                System.out.println("got " + read(peer));
                peer.write(ByteBuffer.wrap(("answer at " + System.nanoTime() + "\n").getBytes()));
            }
            client.join();
        }
        Files.delete(Path.of("socket"));
        Pipe pipe = Pipe.open();
        Thread writer = new Thread(() -> {
            try (Pipe.SinkChannel sink = pipe.sink()) {
                for (int i = 0; i < 5; i++) {
                    sink.write(ByteBuffer.wrap((System.nanoTime() + " ").getBytes()));
                    Thread.sleep(1);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println(e);
            }
        }, "writer");
        writer.start();
        StringBuilder pieces = new StringBuilder();
        ByteBuffer buffer = ByteBuffer.allocate(200);
        while (pipe.source().read(buffer) >= 0) {
            pieces.append('[').append(new String(buffer.array(), 0, buffer.position()).trim()).append(']');
            buffer.clear();
        }
        System.out.println("piped " + pieces);
        writer.join();
    }

    static void send(UnixDomainSocketAddress address) {
        try (SocketChannel channel = SocketChannel.open(address)) {
            channel.write(ByteBuffer.wrap(("question at " + System.nanoTime() + "\n").getBytes()));
            System.out.println("heard " + read(channel));
        } catch (IOException e) {
            System.out.println(e);
        }
    }

    static String read(SocketChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        while (channel.read(buffer) >= 0 && buffer.get(buffer.position() - 1) != '\n') {}
        return new String(buffer.array(), 0, buffer.position()).trim();
    }
}
