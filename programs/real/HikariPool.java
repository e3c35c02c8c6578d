import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** HikariCP in front of an H2 database in memory: six threads share three connections. */
public class HikariPool {
    public static void main(String[] arguments) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:test;DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(3);
        config.setConnectionTimeout(5000);
        try (HikariDataSource source = new HikariDataSource(config)) {
            run(source, "create table note(id identity, author int, line int)");
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int author = i;
                Thread thread = new Thread(() -> {
                    try {
                        for (int line = 0; line < 20; line++) run(source, "insert into note(author, line) values(" + author + ", " + line + ")");
                    } catch (SQLException e) {
                        System.out.println("author " + author + ": " + e);
                    }
                }, "author-" + i);
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) thread.join();
            try (Connection connection = source.getConnection(); Statement statement = connection.createStatement();
                    ResultSet notes = statement.executeQuery("select author from note order by id")) {
                StringBuilder authors = new StringBuilder();
                while (notes.next()) authors.append(notes.getInt(1));
                System.out.println("authors " + authors);
            }
            System.out.println("connections " + (source.getHikariPoolMXBean().getTotalConnections() <= 3));
        }
    }

    static void run(HikariDataSource source, String command) throws SQLException {
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }
}
