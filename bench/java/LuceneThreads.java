import java.lang.management.ManagementFactory;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * Four threads index documents with one IndexWriter, into memory. Arguments: documents per thread for warm-up, and measured. Prints the CPU time of the whole process and
 * the wall time of the measured part, per document.
 */
public class LuceneThreads {
    private static final int THREADS = 4;
    private static final int WORDS = 20_000;

    static final class Indexer extends Thread {
        private final int number;
        private final int documents;
        private final IndexWriter writer;
        private Exception failure;

        Indexer(int number, int documents, IndexWriter writer) {
            super("indexer-" + number);
            this.number = number;
            this.documents = documents;
            this.writer = writer;
        }

        @Override
        public void run() {
            try {
                int noise = number + 1;
                StringBuilder text = new StringBuilder();
                for (int i = 0; i < documents; i++) {
                    text.setLength(0);
                    for (int word = 0; word < 60; word++) {
                        noise ^= noise << 13;
                        noise ^= noise >>> 17;
                        noise ^= noise << 5;
                        text.append('w').append((noise >>> 1) % WORDS).append(' ');
                    }
                    Document document = new Document();
                    document.add(new StringField("id", number + "-" + i, Field.Store.YES));
                    document.add(new TextField("text", text.toString(), Field.Store.NO));
                    document.add(new NumericDocValuesField("length", text.length()));
                    writer.addDocument(document);
                }
            } catch (Exception e) {
                failure = e;
            }
        }
    }

    private static void index(int documents) throws Exception {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory();
            IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(new StandardAnalyzer()))) {
            Indexer[] indexers = new Indexer[THREADS];
            for (int i = 0; i < THREADS; i++) (indexers[i] = new Indexer(i, documents, writer)).start();
            for (Indexer indexer : indexers) {
                indexer.join();
                if (indexer.failure != null) throw indexer.failure;
            }
            writer.commit();
            if (writer.getDocStats().numDocs != THREADS * documents) throw new IllegalStateException("documents are missing");
        }
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        int warmUp = Integer.parseInt(args[0]), measured = Integer.parseInt(args[1]);
        index(warmUp);
        long cpu = cpu(), wall = System.nanoTime();
        index(measured);
        double documents = THREADS * (double) measured;
        System.out.println("cpu_us " + (cpu() - cpu) / documents / 1e3);
        System.out.println("wall_us " + (System.nanoTime() - wall) / documents / 1e3);
    }
}
