import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

/** Four threads index documents with one Lucene writer into a folder; how they fall into segments depends on the schedule. */
public class LuceneIndex {
    static final int THREADS = 4, DOCUMENTS = 150;

    public static void main(String[] arguments) throws Exception {
        try (Directory folder = FSDirectory.open(Path.of("index"))) {
            try (IndexWriter writer = new IndexWriter(folder, new IndexWriterConfig().setMaxBufferedDocs(60))) {
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    int number = i;
                    Thread thread = new Thread(() -> index(writer, number), "indexer-" + i);
                    threads.add(thread);
                    thread.start();
                }
                for (Thread thread : threads) thread.join();
                writer.commit();
            }
            try (DirectoryReader reader = DirectoryReader.open(folder)) {
                for (LeafReaderContext leaf : reader.leaves()) System.out.println("segment of " + leaf.reader().maxDoc());
                IndexSearcher searcher = new IndexSearcher(reader);
                StringBuilder order = new StringBuilder();
                for (ScoreDoc hit : searcher.search(new TermQuery(new Term("text", "seven")), 40).scoreDocs) {
                    order.append(' ').append(searcher.storedFields().document(hit.doc).get("id"));
                }
                System.out.println("hits" + order);
                System.out.println("documents " + reader.numDocs());
            }
        }
    }

    static void index(IndexWriter writer, int thread) {
        String[] words = {"one", "two", "three", "four", "five", "six", "seven", "eight"};
        try {
            for (int i = 0; i < DOCUMENTS; i++) {
                Document document = new Document();
                document.add(new StringField("id", thread + "-" + i, Field.Store.YES));
                document.add(new TextField("text", words[i % 8] + " " + words[(i * 3 + thread) % 8] + " " + words[thread], Field.Store.NO));
                long sequence = writer.addDocument(document);
                if (i % 50 == 49) System.out.println(thread + " at " + sequence);
            }
        } catch (java.io.IOException e) {
            System.out.println("indexer " + thread + ": " + e);
        }
    }
}
