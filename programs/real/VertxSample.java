import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Vert.x: two verticles answer on the event bus and over HTTP, with timers and blocking work beside. */
public class VertxSample {
    static final AtomicInteger served = new AtomicInteger();
    static final int REQUESTS = 12;

    public static class Counter extends AbstractVerticle {
        @Override
        public void start() {
            vertx.eventBus().<String>consumer("count", message -> message.reply(served.incrementAndGet() + " for " + message.body() + " by " + Thread.currentThread().getName()));
        }
    }

    public static void main(String[] arguments) throws Exception {
        Vertx vertx = Vertx.vertx();
        CountDownLatch ready = new CountDownLatch(1), done = new CountDownLatch(REQUESTS * 2);
        int[] port = new int[1];
        vertx.deployVerticle(Counter.class.getName(), new DeploymentOptions().setInstances(2)).compose(id -> vertx.createHttpServer().requestHandler(request ->
                vertx.eventBus().<String>request("count", request.path()).onSuccess(reply -> request.response().end(reply.body()))).listen(0, "127.0.0.1")).onSuccess(server -> {
                    port[0] = server.actualPort();
                    ready.countDown();
                }).onFailure(Throwable::printStackTrace);
        ready.await();
        HttpClient client = vertx.createHttpClient();
        for (int i = 0; i < REQUESTS; i++) {
            int number = i;
            client.request(HttpMethod.GET, port[0], "127.0.0.1", "/" + i).compose(request -> request.send()).compose(response -> response.body()).onComplete(body -> {
                System.out.println(number + ": " + (body.succeeded() ? body.result().toString() : body.cause().toString()));
                done.countDown();
            });
            vertx.executeBlocking(() -> Thread.currentThread().getName() + " " + served.get()).onSuccess(where -> {
                System.out.println("blocking " + number + " " + where);
                done.countDown();
            });
        }
        done.await();
        CountDownLatch closed = new CountDownLatch(1);
        vertx.close().onComplete(result -> closed.countDown());
        closed.await();
        System.out.println("served " + served.get());
    }
}
