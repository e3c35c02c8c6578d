import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/** Four clients send a kilobyte to a Netty server that sends it back, again and again; prints what one round cost. */
public class NettyLoad {
    static final int CLIENTS = 4, SIZE = 1024;

    public static void main(String[] arguments) throws Exception {
        int warmUp = Integer.parseInt(arguments[0]), measured = Integer.parseInt(arguments[1]);
        EventLoopGroup accepting = new NioEventLoopGroup(1), working = new NioEventLoopGroup(2);
        Channel server = new ServerBootstrap().group(accepting, working).channel(NioServerSocketChannel.class).childHandler(new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        context.writeAndFlush(message);
                    }
                });
            }
        }).bind("127.0.0.1", 0).sync().channel();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        rounds(working, port, warmUp);
        long cpu = cpu(), wall = System.nanoTime();
        rounds(working, port, measured);
        System.out.println("cpu_us " + (cpu() - cpu) / 1e3 / measured / CLIENTS);
        System.out.println("wall_us " + (System.nanoTime() - wall) / 1e3 / measured / CLIENTS);
        System.exit(0);
    }

    static void rounds(EventLoopGroup group, int port, int times) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(CLIENTS);
        for (int i = 0; i < CLIENTS; i++) {
            new Bootstrap().group(group).channel(NioSocketChannel.class).handler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new Client(times, done));
                }
            }).connect("127.0.0.1", port).sync();
        }
        done.await();
    }

    static class Client extends ChannelInboundHandlerAdapter {
        final CountDownLatch done;
        int left, missing;

        Client(int times, CountDownLatch done) {
            left = times;
            this.done = done;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            missing = SIZE;
            context.writeAndFlush(context.alloc().buffer(SIZE).writeZero(SIZE));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            missing -= bytes.readableBytes();
            bytes.release();
            if (missing > 0) return;
            if (--left > 0) send(context);
            else {
                context.close();
                done.countDown();
            }
        }
    }

    static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
