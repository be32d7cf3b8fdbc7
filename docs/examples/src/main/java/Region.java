import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.RemoteRegion;
import io.verbena.SharedRegion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory of another process: written, read and counted in, without any code of its owner. */
public final class Region {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    public static void main(String[] args) throws IOException {
        if (args.length > 0) {
            own(args[0]);
            return;
        }
        String name = "region-" + ProcessHandle.current().pid();
        try (OtherProcess owner = new OtherProcess(Region.class, name);
                Node client = Node.launch(new NodeContext());
                RemoteRegion table = client.attach(owner.line() + "/table", TIMEOUT)) {
            byte[] text = "written from afar".getBytes(StandardCharsets.UTF_8);
            table.write(64, new UnsafeBuffer(text), 0, text.length, TIMEOUT);
            UnsafeBuffer back = new UnsafeBuffer(new byte[text.length]);
            table.read(64, back, 0, text.length, TIMEOUT);
            String read = back.getStringWithoutLengthUtf8(0, text.length);
            Check.that(read.equals("written from afar"), "read '" + read + "'");

            for (int i = 0; i < 1_000; i++) {
                long before = table.fetchAndAdd(0, 1, TIMEOUT);
                Check.that(before == i, "the counter was " + before + ", expected " + i);
            }
            Check.that(table.compareAndSwap(0, 1_000, -1, TIMEOUT) == 1_000, "compare and swap");
            System.out.println("wrote and read a text, counted to 1000, swapped");
        }
    }

    private static void own(String name) throws IOException {
        try (Node node = Node.launch(new NodeContext().name(name).listen("shm:" + name));
                SharedRegion table = node.share("table", 4096)) {
            System.out.println(node.addresses().get(0));
            OtherProcess.awaitParent();
            Check.that(table.buffer().getLongVolatile(0) == -1, "the owner sees " + table.buffer().getLong(0));
        }
    }
}
