package io.verbena.papers.rima;

import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.QueueSizing;
import io.verbena.papers.receive.AppendScheme;
import io.verbena.papers.receive.FetchAddLarge;
import io.verbena.papers.receive.OnDemandLarge;
import io.verbena.papers.receive.PerSenderBuffers;
import io.verbena.papers.receive.Scheme;
import io.verbena.papers.receive.SchemeSettings;
import io.verbena.papers.receive.SrqBySize;
import io.verbena.papers.srq.SizeClassOptimizer;
import io.verbena.papers.srq.SizeClasses;
import java.util.Arrays;

/**
 * The rows of Table 6: ways to receive messages of any size, what memory they need, and what has to be chosen for them.
 */
enum SchemeRow {
    SINGLE("1", "one SRQ", "the largest size, or the rate"),
    TUNED("2", "SRQs by size, tuned", "8 sizes and 8 reserves, by the distribution; at every sender too"),
    PREALLOCATED("2", "large buffers pre-allocated", "cut and two reserves, by the distribution; cut at every sender"),
    DEMAND_PAGING("3", "large paged in on demand", "cut and a reserve; cut at every sender"),
    ALLOCATE("3", "large allocated on demand, address returned", "cut and a reserve; cut at every sender"),
    FETCH_ADD("4", "large by fetch-and-add", "cut, a reserve and the shared buffer; cut at every sender"),
    PER_SENDER("5", "a buffer a sender", "the buffer, by the largest size; the number of senders"),
    RIMA("6", "append queue", "none by the distribution"),
    RIMA_WIDE("6", "append queue, chunks of 4 MiB", "the chunk, by the largest size that must not wait");

    /** Messages up to so many bytes are small (5.2.1). */
    static final int CUT = 1024;

    /** The other cut of 5.2.1, at 99.9 % of the messages. */
    static final int HIGHER_CUT = 5_400;

    private static final int MAX = (int) RimaModel.MAX;
    private static final int SMALL_BUFFERS = 4096;
    private static final int LARGE_BUFFERS = 64;
    private static final int PLACES = 16;
    private static final int TUNED_QUEUES = 8;
    private static final int SHARED_BUFFER = 100 << 20;
    private static final int SENDERS_BUFFER = MAX + 4096;
    private static final int SENDERS = 2_000;
    private static final double SENDERS_BYTES = 1e6;
    private static final int CHUNK = 1 << 20;

    /** Messages above so many bytes have a mapping of their own in an append queue of default chunks. */
    static final int OWN_MAPPING = CHUNK / 4;

    private static final SchemeSettings SETTINGS = SchemeSettings.DEFAULT.withMtu(IncastWorld.MTU);

    private final String row;
    private final String label;
    private final String choices;

    SchemeRow(String row, String label, String choices) {
        this.row = row;
        this.label = label;
        this.choices = choices;
    }

    /** Number of the row in the paper's table. */
    String row() {
        return row;
    }

    /** For people. */
    String label() {
        return label;
    }

    /** What somebody has to choose. */
    String choices() {
        return choices;
    }

    /** Both ends, as large as the simulated load needs. */
    Scheme scheme() {
        return switch (this) {
            case SINGLE -> SrqBySize.single(MAX, LARGE_BUFFERS).with(SETTINGS);
            case TUNED -> bySize();
            case PREALLOCATED ->
                SrqBySize.preallocated(CUT, SMALL_BUFFERS, MAX, LARGE_BUFFERS).with(SETTINGS);
            case DEMAND_PAGING -> onDemand(OnDemandLarge.Form.DEMAND_PAGING);
            case ALLOCATE -> onDemand(OnDemandLarge.Form.ALLOCATE_AND_RETURN);
            case FETCH_ADD -> new FetchAddLarge(CUT, SMALL_BUFFERS, MAX, SHARED_BUFFER, PLACES).with(SETTINGS);
            case PER_SENDER -> new PerSenderBuffers(MAX, SENDERS_BUFFER).with(SETTINGS);
            case RIMA -> append(CHUNK);
            case RIMA_WIDE -> append(4 * CHUNK);
        };
    }

    private static Scheme append(int chunkLength) {
        return new AppendScheme(new AppendQueueAttributes()
                        .chunkLength(chunkLength)
                        .reserveChunks(QueueSizing.reserveChunks(
                                IncastWorld.LINE_BYTES, IncastWorld.ALLOCATION_NANOS, chunkLength, chunkLength / 4)))
                .with(SETTINGS);
    }

    private static Scheme onDemand(OnDemandLarge.Form form) {
        return new OnDemandLarge(form, CUT, SMALL_BUFFERS, MAX, PLACES, IncastWorld.ALLOCATION_NANOS).with(SETTINGS);
    }

    private static SizeClasses tuned() {
        return SizeClassOptimizer.least(
                RimaModel.PAPER.link(),
                RimaModel.PAPER.sizes(),
                RimaModel.PAPER.messages() / RimaModel.PROCESSES,
                SizeClasses.slabs(MAX),
                TUNED_QUEUES);
    }

    private static Scheme bySize() {
        int[] counts = new int[TUNED_QUEUES];
        Arrays.fill(counts, LARGE_BUFFERS);
        return new SrqBySize(tuned(), counts).with(SETTINGS);
    }

    /** What a server of 32 processes needs by the paper's formulas, in bytes. */
    double serverBytes(RimaModel model) {
        return switch (this) {
            case SINGLE -> model.server(SizeClasses.single(MAX)).totalBytes();
            case TUNED -> model.server(tuned()).totalBytes();
            case PREALLOCATED -> model.server(SizeClasses.of(CUT, MAX)).totalBytes();
            case DEMAND_PAGING, ALLOCATE -> smallBytes(model, CUT);
            case FETCH_ADD -> smallBytes(model, CUT) + (double) SHARED_BUFFER * RimaModel.PROCESSES;
            case PER_SENDER -> SENDERS * SENDERS_BYTES * RimaModel.PROCESSES;
            case RIMA, RIMA_WIDE ->
                model.appendQueue().ofProcesses(RimaModel.PROCESSES).totalBytes();
        };
    }

    /** The queues for messages up to a cut. */
    static double smallBytes(RimaModel model, int cut) {
        return smallReserve(model, cut) + model.messages() * model.sizes().cdf(cut) * cut;
    }

    /** The reserves for messages up to a cut: they may be the smallest, and come as fast. */
    static double smallReserve(RimaModel model, int cut) {
        return model.server(SizeClasses.of(cut, MAX)).reserveBytes() - largeReserve(model, cut);
    }

    /** The reserves for messages above a cut: they may be the smallest of those, and need buffers of the largest. */
    static double largeReserve(RimaModel model, int cut) {
        return model.link().rate(cut + 1L) * model.link().allocationSeconds() * MAX * RimaModel.PROCESSES;
    }
}
