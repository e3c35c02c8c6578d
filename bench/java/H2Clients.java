import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Four clients transfer money in an H2 database in memory: a fixed number of transactions, in one virtual machine.
 * Arguments: transactions per client for warm-up, and measured. Prints the CPU time of the whole process and the wall time of the
 * measured part, per transaction.
 */
public class H2Clients {
    private static final String URL = "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
    private static final int CLIENTS = 4;
    private static final int ACCOUNTS = 1000;

    static final class Client extends Thread {
        private final int number;
        private final int transactions;
        private SQLException failure;

        Client(int number, int transactions) {
            super("client-" + number);
            this.number = number;
            this.transactions = transactions;
        }

        @Override
        public void run() {
            try (Connection connection = DriverManager.getConnection(URL)) {
                connection.setAutoCommit(false);
                transfer(connection);
            } catch (SQLException e) {
                failure = e;
            }
        }

        private void transfer(Connection connection) throws SQLException {
            int noise = number + 1;
            try (PreparedStatement change = connection.prepareStatement("update account set balance = balance + ? where id = ?");
                PreparedStatement log = connection.prepareStatement("insert into history(client, amount) values (?, ?)");
                PreparedStatement look = connection.prepareStatement("select balance from account where id = ?")) {
                for (int i = 0; i < transactions; i++) {
                    noise ^= noise << 13;
                    noise ^= noise >>> 17;
                    noise ^= noise << 5;
                    int from = (noise >>> 1) % ACCOUNTS;
                    int to = (noise >>> 12) % ACCOUNTS;
                    int amount = noise & 63;
                    // Rows are locked in the order of their keys, so clients wait for one another but never deadlock.
                    change(change, Math.min(from, to), from < to ? -amount : amount);
                    change(change, Math.max(from, to), from < to ? amount : -amount);
                    look.setInt(1, from);
                    look.executeQuery().close();
                    log.setInt(1, number);
                    log.setInt(2, amount);
                    log.executeUpdate();
                    connection.commit();
                }
            }
        }

        private static void change(PreparedStatement statement, int id, int by) throws SQLException {
            statement.setInt(1, by);
            statement.setInt(2, id);
            statement.executeUpdate();
        }
    }

    private static void runClients(int transactions) throws InterruptedException, SQLException {
        Client[] clients = new Client[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = new Client(i, transactions);
            clients[i].start();
        }
        for (Client client : clients) {
            client.join();
            if (client.failure != null) {
                throw client.failure;
            }
        }
    }

    private static long processCpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        int warmUp = Integer.parseInt(args[0]);
        int measured = Integer.parseInt(args[1]);
        try (Connection connection = DriverManager.getConnection(URL); Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, balance bigint)");
            statement.execute("create table history(id identity, client int, amount int)");
            statement.execute("insert into account select x - 1, 1000 from system_range(1, " + ACCOUNTS + ")");
            runClients(warmUp);
            long cpu = processCpu();
            long wall = System.nanoTime();
            runClients(measured);
            cpu = processCpu() - cpu;
            wall = System.nanoTime() - wall;
            System.out.println("cpu_us " + cpu / 1000.0 / measured / CLIENTS);
            System.out.println("wall_us " + wall / 1000.0 / measured / CLIENTS);
        }
    }
}
