package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CheckIndex;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A library that knows nothing of us: Lucene writes, merges, searches and checks an index in remote files. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class LuceneTest {
    private static final int DOCUMENTS = 3_000;
    private static final int BATCH = 250;
    private static final int WORDS = 200;

    @Test
    void anIndexIsWrittenSearchedAndChecked() throws Exception {
        try (Donors donors = Donors.local().add(32 << 20).add(32 << 20)) {
            FileSystem system = donors.small();
            Path path = system.getPath("/index");
            try (Directory directory = new NIOFSDirectory(path)) {
                write(directory);
                search(directory);
                check(directory);
            }
            try (Stream<Path> files = Files.list(path)) {
                for (Path each : files.toList()) {
                    Files.delete(each);
                }
            }
            FileStore store = Files.getFileStore(path);
            assertThat(store.getUnallocatedSpace()).isEqualTo(store.getTotalSpace());
        }
    }

    private static void write(Directory directory) throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer()).setMaxBufferedDocs(BATCH);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < DOCUMENTS; i++) {
                Document document = new Document();
                document.add(new StringField("id", "d" + i, Field.Store.YES));
                document.add(new IntPoint("number", i));
                StringBuilder text = new StringBuilder("w" + i % WORDS);
                for (int word = 0; word < 20; word++) {
                    text.append(" x").append(random.nextInt(5_000));
                }
                document.add(new TextField("text", text.toString(), Field.Store.YES));
                writer.addDocument(document);
                if (i % BATCH == BATCH - 1) {
                    writer.commit();
                }
            }
            writer.deleteDocuments(new Term("id", "d7"));
            writer.forceMerge(1);
        }
    }

    private static void search(Directory directory) throws Exception {
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            assertThat(reader.numDocs()).isEqualTo(DOCUMENTS - 1);
            IndexSearcher searcher = new IndexSearcher(reader);
            for (int word = 0; word < WORDS; word++) {
                int expected = DOCUMENTS / WORDS - (word == 7 ? 1 : 0);
                assertThat(searcher.count(new TermQuery(new Term("text", "w" + word))))
                        .isEqualTo(expected);
            }
            TermQuery query = new TermQuery(new Term("id", "d1234"));
            int found = searcher.search(query, 1).scoreDocs[0].doc;
            assertThat(searcher.storedFields().document(found).get("text")).startsWith("w" + 1234 % WORDS + " ");
        }
    }

    private static void check(Directory directory) throws Exception {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        try (CheckIndex check = new CheckIndex(directory)) {
            check.setInfoStream(new PrintStream(log, true, StandardCharsets.UTF_8));
            CheckIndex.Status status = check.checkIndex();
            assertThat(status.clean).as(log.toString(StandardCharsets.UTF_8)).isTrue();
            assertThat(status.missingSegments).isFalse();
        }
    }
}
