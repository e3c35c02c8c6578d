import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The JDK's HTTP server with a pool of threads, and clients of the older kind. */
public class Server {
    static final AtomicInteger count = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        server.setExecutor(pool);
        server.createContext("/", exchange -> {
            byte[] answer = (count.incrementAndGet() + " " + exchange.getRequestURI() + " on " + Thread.currentThread().getName()).getBytes();
            exchange.getResponseHeaders().add("X-Time", Long.toString(System.nanoTime()));
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        int port = server.getAddress().getPort();
        Thread a = new Thread(() -> ask("a", port), "a"), b = new Thread(() -> ask("b", port), "b");
        a.start();
        b.start();
        a.join();
        b.join();
        server.stop(0);
        pool.shutdown();
        System.out.println("count " + count.get());
    }

    @SuppressWarnings("deprecation")
    static void ask(String name, int port) {
        try {
            for (int i = 0; i < 4; i++) {
                HttpURLConnection connection = (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/" + name + i).openConnection();
                try (InputStream body = connection.getInputStream()) {
                    System.out.println(name + " " + connection.getResponseCode() + " " + new String(body.readAllBytes()) + " at " + connection.getHeaderField("X-Time"));
                }
            }
        } catch (IOException e) {
            System.out.println(name + " " + e);
        }
    }
}
