import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** An H2 database in a file: four clients move money between accounts, each transaction in competition with the others. */
public class H2Workload {
    static final int CLIENTS = 4, TRANSFERS = 60, ACCOUNTS = 6;

    public static void main(String[] arguments) throws Exception {
        String url = "jdbc:h2:./bank;LOCK_TIMEOUT=2000";
        try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, balance int, touched int)");
            for (int i = 0; i < ACCOUNTS; i++) statement.execute("insert into account values(" + i + ", 1000, 0)");
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                Thread thread = new Thread(() -> work(url, client), "client-" + i);
                clients.add(thread);
                thread.start();
            }
            for (Thread client : clients) client.join();
            try (ResultSet all = statement.executeQuery("select id, balance, touched from account order by id")) {
                while (all.next()) System.out.println("account " + all.getInt(1) + " " + all.getInt(2) + " touched " + all.getInt(3));
            }
            try (ResultSet sum = statement.executeQuery("select sum(balance) from account")) {
                sum.next();
                System.out.println("sum " + sum.getInt(1));
            }
        }
    }

    static void work(String url, int client) {
        int failed = 0, seen = 0;
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < TRANSFERS; i++) {
                int from = (client + i) % ACCOUNTS, to = (client * 2 + i * 3 + 1) % ACCOUNTS;
                try (PreparedStatement read = connection.prepareStatement("select balance from account where id = ?");
                        PreparedStatement write = connection.prepareStatement("update account set balance = balance + ?, touched = ? where id = ?")) {
                    read.setInt(1, from);
                    try (ResultSet balance = read.executeQuery()) {
                        balance.next();
                        seen = seen * 31 + balance.getInt(1);
                    }
                    move(write, -(client + 1), client, Math.min(from, to) == from ? from : to, from == Math.min(from, to));
                    move(write, -(client + 1), client, from == Math.min(from, to) ? to : from, from != Math.min(from, to));
                    connection.commit();
                } catch (SQLException e) {
                    failed++;
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            System.out.println("client " + client + ": " + e.getMessage());
        }
        System.out.println("client " + client + " saw " + Integer.toHexString(seen) + " failed " + failed);
    }

    private static void move(PreparedStatement write, int amount, int client, int account, boolean out) throws SQLException {
        write.setInt(1, out ? amount : -amount);
        write.setInt(2, client);
        write.setInt(3, account);
        write.executeUpdate();
    }
}
