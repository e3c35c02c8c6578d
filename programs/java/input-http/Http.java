import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;

/** The JDK's HTTP server and client in one process: some requests one after the other, some at once. */
public class Http {
    public static void main(String[] args) throws Exception {
        AtomicInteger count = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = (count.incrementAndGet() + " " + exchange.getRequestURI() + " " + new String(exchange.getRequestBody().readAllBytes())).getBytes();
            exchange.getResponseHeaders().add("X-Time", Long.toString(System.nanoTime()));
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.setExecutor(pool);
        server.start();
        String base = "http://127.0.0.1:" + server.getAddress().getPort();
        HttpClient client = HttpClient.newHttpClient();
        for (int i = 0; i < 2; i++) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/one/" + i)).POST(HttpRequest.BodyPublishers.ofString("body " + i)).build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.println(response.statusCode() + " " + response.body() + " " + response.headers().firstValue("X-Time").orElse("-"));
        }
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/many/" + i)).build();
            answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body));
        }
        for (CompletableFuture<String> answer : answers) System.out.println("async " + answer.join());
        server.stop(0);
        pool.shutdown();
        System.out.println("count " + count);
        System.exit(0);
    }
}
