import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The JDK's HTTP client asks the JDK's HTTP server, in the same process, for four kilobytes again and again; prints what one request cost. */
public class HttpLoop {
    public static void main(String[] arguments) throws Exception {
        int warmUp = Integer.parseInt(arguments[0]), measured = Integer.parseInt(arguments[1]);
        // Else the kernel waits 40 ms for more before it sends the end of an answer.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        byte[] answer = new byte[4096];
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        server.setExecutor(pool);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        HttpClient client = HttpClient.newHttpClient();
        ask(client, uri, warmUp);
        long cpu = cpu(), wall = System.nanoTime();
        ask(client, uri, measured);
        System.out.println("cpu_us " + (cpu() - cpu) / 1e3 / measured);
        System.out.println("wall_us " + (System.nanoTime() - wall) / 1e3 / measured);
        server.stop(0);
        pool.shutdown();
        System.exit(0);
    }

    static void ask(HttpClient client, URI uri, int times) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        for (int i = 0; i < times; i++) client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
