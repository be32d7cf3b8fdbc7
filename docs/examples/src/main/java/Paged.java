import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.tier.Advice;
import io.verbena.tier.Donation;
import io.verbena.tier.PageLostException;
import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedOptions;
import io.verbena.tier.PagedStatistics;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * 16 MiB of which 1 MiB is here and all the rest at two donors. When one of them dies nothing is lost; when the other
 * one does too, what is lost says so.
 */
public final class Paged {
    private static final int SIZE = 16 << 20;
    private static final int PAGE = PagedOptions.DEFAULT_PAGE_LENGTH;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    public static void main(String[] args) throws InterruptedException {
        try (Node east = Node.launch(new NodeContext().name("east").listen("tcp://127.0.0.1:0"));
                Node west = Node.launch(new NodeContext().name("west").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("pager"))) {
            Donation.offer(east, SIZE); // each ends with its node
            Donation.offer(west, SIZE);
            PagedOptions options = new PagedOptions(SIZE)
                    .resident(1 << 20)
                    .donor(east.addresses().get(0))
                    .donor(west.addresses().get(0))
                    .replicas(2)
                    .timeout(TIMEOUT);
            try (PagedMemory memory = PagedMemory.open(client, options, TIMEOUT)) {
                fill(memory);
                memory.flush(TIMEOUT);
                memory.advise(0, SIZE, Advice.DONT_NEED); // the frames are free: the donors have all of it
                memory.advise(0, SIZE, Advice.RANDOM); // each fault loads a page
                Check.that(read(memory) == 0, "pages are lost");
                long loaded = memory.statistics().faults();
                memory.advise(0, SIZE, Advice.DONT_NEED);
                memory.advise(0, SIZE, Advice.SEQUENTIAL); // each fault loads a block
                Check.that(read(memory) == 0, "pages are lost");
                PagedStatistics s = memory.statistics();
                System.out.printf(
                        "%d MiB at %d peers, %d KiB here; read at random by %d faults, in sequence by %d%n",
                        SIZE >> 20, s.peers().size(), s.resident() * PAGE >> 10, loaded, s.faults() - loaded);

                die(east, memory, 0);
                Check.that(read(memory) == 0 && memory.lost().isEmpty(), "pages are lost with one of two donors");
                long single = memory.statistics().single();
                System.out.println("a donor died: nothing is lost, " + single + " blocks are at one peer alone");

                die(west, memory, 1);
                int lost = read(memory);
                Check.that(lost > 0 && lost < SIZE / PAGE, lost + " pages are lost with both donors");
                System.out.println("both donors died: " + lost + " pages are lost, those that were here are right");
            }
        }
    }

    private static void fill(PagedMemory memory) {
        UnsafeBuffer page = new UnsafeBuffer(new byte[PAGE]);
        for (int at = 0; at < SIZE; at += PAGE) {
            page.setMemory(0, PAGE, (byte) (at / PAGE * 7));
            page.putInt(0, at);
            memory.write(at, page, 0, PAGE);
        }
    }

    /** Reads all of it; says how many pages are lost. Whatever is read is right. */
    private static int read(PagedMemory memory) {
        UnsafeBuffer page = new UnsafeBuffer(new byte[PAGE]);
        int lost = 0;
        for (int at = 0; at < SIZE; at += PAGE) {
            try {
                memory.read(at, page, 0, PAGE);
                Check.that(page.getInt(0) == at && page.getByte(PAGE - 1) == (byte) (at / PAGE * 7), "page at " + at);
            } catch (PageLostException e) {
                Check.that(e.offset() == at, e.getMessage());
                lost++;
            }
        }
        return lost;
    }

    private static void die(Node donor, PagedMemory memory, int index) throws InterruptedException {
        donor.close();
        for (int i = 0; i < 3_000 && memory.statistics().peers().get(index).alive(); i++) {
            Thread.sleep(10);
        }
        Check.that(!memory.statistics().peers().get(index).alive(), "peer " + index + " is still thought alive");
    }
}
