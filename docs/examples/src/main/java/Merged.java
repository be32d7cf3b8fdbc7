import io.verbena.AdmissionPolicy;
import io.verbena.Merging;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.Outcome;
import io.verbena.RegionOptions;
import io.verbena.RegionStatistics;
import io.verbena.RemoteRegion;
import io.verbena.SendResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Four threads write small records to one region of another node. Those that are adjacent leave together, no more is
 * under way than the peer takes in a millisecond, and whoever is refused polls and goes on where it was.
 */
public final class Merged {
    private static final int THREADS = 4;
    private static final int RECORDS = 40_000; // of each thread
    private static final int RECORD = 64;
    private static final int TOGETHER = 16;
    private static final int LENGTH = THREADS * RECORDS * RECORD;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final AtomicLong DONE = new AtomicLong();
    private static final AtomicLong REFUSED = new AtomicLong();

    public static void main(String[] args) throws InterruptedException {
        RegionOptions options = new RegionOptions()
                .merge(Merging.HYBRID)
                .admission(AdmissionPolicy.backlogTime(Duration.ofMillis(1)))
                .buffer(64 << 10);
        try (Node owner = Node.launch(new NodeContext().name("archive").listen("tcp://127.0.0.1:0"));
                Node client = Node.launch(new NodeContext().name("writers"))) {
            owner.share("log", LENGTH);
            try (RemoteRegion log = client.attach(owner.addresses().get(0) + "/log", options, TIMEOUT)) {
                List<Thread> writers = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    int first = i * RECORDS;
                    writers.add(new Thread(() -> write(log, first, first + RECORDS)));
                }
                writers.forEach(Thread::start);
                for (Thread writer : writers) {
                    writer.join();
                }
                long giveUp = System.nanoTime() + TIMEOUT.toNanos();
                while (DONE.get() < THREADS * RECORDS) {
                    pollOrYield(log);
                    Check.that(System.nanoTime() < giveUp, DONE + " writes have ended");
                }
                check(log);
                RegionStatistics s = log.statistics();
                Check.that(s.operations() > THREADS * RECORDS && s.bytesInFlight() == 0, s.toString());
                Check.that(s.merged() > 0 && s.workRequests() < s.operations(), s.toString());
                System.out.printf(
                        "window of %d KiB, %d operations had to wait for it, callers were refused %d times%n",
                        s.window() >> 10, s.waited(), REFUSED.get());
                System.out.printf(
                        "%d operations, of which %d merged, left in %d work requests with %d doorbells%n",
                        s.operations(), s.merged(), s.workRequests(), s.doorbells());
            }
        }
    }

    private static void write(RemoteRegion log, int first, int end) {
        UnsafeBuffer record = new UnsafeBuffer(new byte[RECORD]);
        int[] next = {first};
        while (next[0] < end) {
            int before = next[0];
            int stop = Math.min(end, before + TOGETHER);
            log.together(() -> { // nothing in here may wait
                while (next[0] < stop && post(log, record, next[0])) {
                    next[0]++;
                }
            });
            if (next[0] < stop) { // the buffer is full: room comes as operations end
                REFUSED.incrementAndGet();
                pollOrYield(log);
            }
        }
    }

    private static boolean post(RemoteRegion log, UnsafeBuffer record, int number) {
        record.putLong(0, number);
        SendResult result = log.write((long) number * RECORD, record, 0, RECORD, number, Merged::ended);
        Check.that(result != SendResult.CLOSED, "the region closed: " + log.closeReason());
        return result == SendResult.SENT; // else BACK_PRESSURED
    }

    private static void ended(long number, Outcome outcome, long value) {
        Check.that(outcome == Outcome.DONE, "record " + number + " ended as " + outcome);
        DONE.incrementAndGet();
    }

    private static void pollOrYield(RemoteRegion log) {
        if (log.poll(256) == 0) {
            Thread.yield(); // another thread polls, or nothing has ended
        }
    }

    private static void check(RemoteRegion log) {
        UnsafeBuffer chunk = new UnsafeBuffer(new byte[1000 * RECORD]);
        for (int first = 0; first < THREADS * RECORDS; first += 1000) {
            log.read((long) first * RECORD, chunk, 0, chunk.capacity(), TIMEOUT);
            for (int i = 0; i < 1000; i++) {
                Check.that(chunk.getLong(i * RECORD) == first + i, "record " + (first + i));
            }
        }
    }
}
