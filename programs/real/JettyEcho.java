import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Jetty server that numbers its requests, and the JDK's client asking it from several threads and asynchronously. */
public class JettyEcho {
    static final AtomicInteger count = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        int requests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 6;
        Server server = new Server(new QueuedThreadPool(8, 4));
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response) throws IOException {
                String body = new String(request.getInputStream().readAllBytes());
                response.getWriter().print(count.incrementAndGet() + " " + target + " " + body.length());
                base.setHandled(true);
            }
        });
        server.start();
        URI base = URI.create("http://127.0.0.1:" + connector.getLocalPort());
        HttpClient client = HttpClient.newHttpClient();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            Thread thread = new Thread(() -> ask(client, base, number, requests), "asker-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            HttpRequest request = HttpRequest.newBuilder(base.resolve("/async/" + i)).POST(HttpRequest.BodyPublishers.ofString("x".repeat(i * 100))).build();
            all.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> one : all) System.out.println("async " + one.get().body());
        server.stop();
        System.out.println("count " + count.get());
    }

    static void ask(HttpClient client, URI base, int number, int requests) {
        StringBuilder heard = new StringBuilder("asker " + number + ":");
        try {
            for (int i = 0; i < requests; i++) {
                HttpRequest request = HttpRequest.newBuilder(base.resolve("/" + number)).POST(HttpRequest.BodyPublishers.ofString("body " + i)).build();
                heard.append(' ').append(client.send(request, HttpResponse.BodyHandlers.ofString()).body().split(" ")[0]);
            }
        } catch (IOException | InterruptedException e) {
            heard.append(e);
        }
        System.out.println(heard);
    }
}
