import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A Netty server that numbers the lines it gets and sends them back, and four clients of it, on shared event loops. */
public class NettyEcho {
    static final int CLIENTS = 4;
    static final AtomicInteger served = new AtomicInteger();

    public static void main(String[] arguments) throws Exception {
        int lines = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 25;
        EventLoopGroup accepting = new NioEventLoopGroup(1), working = new NioEventLoopGroup(2);
        try {
            Channel server = new ServerBootstrap().group(accepting, working).channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new LineBasedFrameDecoder(1000), new Echo());
                        }
                    }).bind("127.0.0.1", 0).sync().channel();
            int port = ((InetSocketAddress) server.localAddress()).getPort();
            CountDownLatch done = new CountDownLatch(CLIENTS);
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                new Bootstrap().group(working).channel(NioSocketChannel.class).handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new LineBasedFrameDecoder(1000), new Client(client, lines, done));
                    }
                }).connect("127.0.0.1", port).sync();
            }
            done.await();
            server.close().sync();
        } finally {
            accepting.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
            working.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
        }
        System.out.println("served " + served.get());
    }

    static class Echo extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf line) {
            String text = line.toString(StandardCharsets.UTF_8);
            context.writeAndFlush(Unpooled.copiedBuffer(served.incrementAndGet() + " " + text + "\n", StandardCharsets.UTF_8));
        }
    }

    static class Client extends ChannelInboundHandlerAdapter {
        final int number, lines;
        final CountDownLatch done;
        int sent, hash;

        Client(int number, int lines, CountDownLatch done) {
            this.number = number;
            this.lines = lines;
            this.done = done;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.copiedBuffer("line " + sent++ + " of " + number + "\n", StandardCharsets.UTF_8));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf line = (ByteBuf) message;
            hash = hash * 31 + line.toString(StandardCharsets.UTF_8).hashCode();
            line.release();
            if (sent < lines) {
                send(context);
                return;
            }
            System.out.println("client " + number + " heard " + Integer.toHexString(hash) + " on " + Thread.currentThread().getName());
            context.close();
            done.countDown();
        }
    }
}
