import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/** An echo server with one thread and a selector, three clients, a pipe and a wakeup. */
public class Selectors {
    static volatile boolean over;

    static void client(int port, String name) {
        try (SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            StringBuilder heard = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocate(64);
            for (int i = 0; i < 5; i++) {
                channel.write(ByteBuffer.wrap((name + i + ";").getBytes()));
                buffer.clear();
                channel.read(buffer);
                heard.append(StandardCharsets.UTF_8.decode(buffer.flip()));
            }
            System.out.println(name + " heard " + heard);
        } catch (IOException e) {
            e.printStackTrace(System.out);
        }
    }

    public static void main(String[] args) throws Exception {
        Selector selector = Selector.open();
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        Thread[] clients = new Thread[3];
        for (int i = 0; i < 3; i++) {
            String name = "abc".substring(i, i + 1);
            clients[i] = new Thread(() -> client(port, name));
            clients[i].start();
        }
        Thread waker = new Thread(() -> {
            try {
                for (Thread client : clients) client.join();
                pipe.sink().write(ByteBuffer.wrap("end".getBytes()));
                over = true;
                selector.wakeup();
            } catch (IOException | InterruptedException e) {
                e.printStackTrace(System.out);
            }
        });
        waker.start();
        int rounds = 0, count = 0;
        long hash = 0;
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        while (!over) {
            rounds += selector.select(200);
            for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                SelectionKey key = keys.next();
                keys.remove();
                if (key.isAcceptable()) {
                    SocketChannel channel = server.accept();
                    channel.configureBlocking(false);
                    channel.register(selector, SelectionKey.OP_READ, ++count);
                } else if (key.channel() instanceof SocketChannel channel) {
                    buffer.clear();
                    int read = channel.read(buffer);
                    if (read < 0) {
                        channel.close();
                        continue;
                    }
                    buffer.flip();
                    hash = 31 * hash + StandardCharsets.UTF_8.decode(buffer.duplicate()).toString().hashCode() + (Integer) key.attachment();
                    channel.write(buffer);
                } else {
                    buffer.clear();
                    int read = pipe.source().read(buffer);
                    System.out.println("pipe " + read);
                    if (read >= 0) key.cancel();
                }
            }
        }
        waker.join();
        server.close();
        selector.close();
        System.out.println("hash " + Long.toHexString(hash) + " in " + rounds);
    }
}
