import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** A server with a thread for each client counts what it gets; who comes when differs. */
public class Sockets {
    static int served;
    static long hash;

    static void serve(Socket client) {
        try (client) {
            BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream()));
            PrintWriter out = new PrintWriter(client.getOutputStream(), true);
            for (String line; (line = in.readLine()) != null; ) {
                synchronized (Sockets.class) {
                    hash = 31 * hash + line.hashCode();
                    out.println(++served + " " + line.toUpperCase());
                }
            }
        } catch (IOException e) {
            e.printStackTrace(System.out);
        }
    }

    static void ask(int port, String name) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            PrintWriter out = new PrintWriter(socket.getOutputStream(), true);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            StringBuilder answers = new StringBuilder();
            for (int i = 0; i < 5; i++) {
                out.println(name + i);
                answers.append(' ').append(in.readLine());
            }
            System.out.println(name + answers);
        } catch (IOException e) {
            e.printStackTrace(System.out);
        }
    }

    public static void main(String[] args) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            int port = server.getLocalPort();
            System.out.println("port " + port);
            Thread acceptor = new Thread(() -> {
                try {
                    Thread[] workers = new Thread[3];
                    for (int i = 0; i < 3; i++) {
                        Socket client = server.accept();
                        workers[i] = new Thread(() -> serve(client), "worker " + client.getPort());
                        workers[i].start();
                    }
                    for (Thread worker : workers) worker.join();
                } catch (IOException | InterruptedException e) {
                    e.printStackTrace(System.out);
                }
            });
            acceptor.start();
            Thread[] clients = new Thread[3];
            for (int i = 0; i < 3; i++) {
                String name = "abc".substring(i, i + 1);
                clients[i] = new Thread(() -> ask(port, name));
                clients[i].start();
            }
            for (Thread client : clients) client.join();
            acceptor.join();
            server.setSoTimeout(10);
            try {
                server.accept();
            } catch (SocketTimeoutException e) {
                System.out.println("nobody: " + e.getMessage());
            }
        }
        System.out.println("served " + served + " hash " + Long.toHexString(hash));
    }
}
