package io.verbena.nic.transport;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.Appender;
import io.verbena.nic.append.ChunkAllocator;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.Segment;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.ReceiveWqeDescriptor;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.Opcode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What queue pairs need of a NIC and its engine, without either: tables that are the real ones, no arbiter, no threads.
 * What the state machines ask for is kept in lists; {@link #turn} does it in the order in which an engine would.
 */
final class FakeNic implements TransportServices {
    static final int PD = 1;
    static final int REGION = 64 * 1024;
    static final int SENDS = 64;
    static final int MAX_SGE = 4;
    static final int MAX_INLINE = 64;

    /** Packets are taken from here in the buffer, so that a position that is forgotten in a sum shows. */
    private static final int ARRIVAL_OFFSET = 40;

    private static final int MAX_TURNS = 10_000;

    final long id;
    final LongSupplier clock;
    final DirectMemoryProvider memory = new DirectMemoryProvider();
    final ControlBlock control;
    final MemoryTable regions;
    final AddressTable addresses = new AddressTable();
    final TailPointerTable queues;
    final ChunkAllocator allocator;
    final FlowGroup group = new FlowGroup(0, 1, 1);
    final MemoryRegion region;

    final List<Wc> completions = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    final Set<QpContext> scheduled = new LinkedHashSet<>();
    final Set<QpContext> acknowledging = new LinkedHashSet<>();
    final Set<QpContext> blocked = new LinkedHashSet<>();
    final Map<QpContext, Long> timers = new HashMap<>();
    final List<QpContext> attached = new ArrayList<>();
    final List<QpContext> settled = new ArrayList<>(); // nothing under way any more
    final List<Path> touched = new ArrayList<>();
    final Map<Integer, QpContext> queuePairs = new HashMap<>();
    final Map<Long, Path> paths = new HashMap<>();
    private final Appender appender;
    private final int[] counters = new int[NicCounter.values().length];
    private final UnsafeBuffer arrivals = new UnsafeBuffer(new byte[64 * 1024]);

    /** Bytes that a visit may send. */
    int budget = Integer.MAX_VALUE;

    /** Whether queue pairs that are made cut messages to what a visit may send. */
    boolean slices;

    /** Looks at local keys that find a region; after them another thread has deregistered all. */
    int looks = Integer.MAX_VALUE;

    FakeNic(long id, LongSupplier clock) {
        this.id = id;
        this.clock = clock;
        control = ControlBlock.create(memory, id, new ControlLimits(1, 16, 16, 4, 8));
        long[] tag = {id};
        regions = new MemoryTable(control, clock::getAsLong, 0, () -> tag[0] += 0x9E37_79B9_7F4A_7C15L);
        queues = new TailPointerTable(
                "test", control, memory, 0, clock::getAsLong, () -> tag[0] += 0x9E37_79B9_7F4A_7C15L);
        allocator = new ChunkAllocator(queues);
        appender = queues.appender(0);
        region = region(REGION, Access.ALL | Access.MW_BIND);
    }

    /** A completion. */
    record Wc(
            long id,
            WcStatus status,
            WcOpcode opcode,
            int flags,
            int qp,
            int peerQp,
            int bytes,
            int immediate,
            CompletionRing ring) {
        @Override
        public String toString() {
            return id + " " + status
                    + (status == WcStatus.SUCCESS ? " " + opcode + " " + bytes : "")
                    + ((flags & CqeDescriptor.HAS_IMMEDIATE) != 0 ? " immediate=" + immediate : "")
                    + ((flags & CqeDescriptor.HAS_INVALIDATED) != 0 ? " invalidated=" + immediate : "")
                    + ((flags & CqeDescriptor.SOLICITED) != 0 ? " solicited" : "");
        }
    }

    // ---- what a test does ---------------------------------------------------------------------------------------

    /** A region of its own segment, whose bytes tell their place. */
    MemoryRegion region(int length, int access) {
        return region(length, access, PD);
    }

    MemoryRegion region(int length, int access, int pd) {
        Segment segment = memory.allocate(length);
        for (int i = 0; i < length; i++) {
            segment.buffer().putByte(i, pattern(id, i));
        }
        return regions.register(segment.buffer(), segment.id(), 0, length, access, pd);
    }

    static byte pattern(long nic, int place) {
        return (byte) (nic + place * 7L + (place >>> 8));
    }

    /** Bytes of the region. */
    byte[] bytes(int offset, int length) {
        byte[] bytes = new byte[length];
        region.buffer().getBytes(offset, bytes);
        return bytes;
    }

    /** A queue pair in INIT. */
    QpContext newQueuePair(QpType type, int number) {
        return newQueuePair(type, number, new ReceiveRing(64, MAX_SGE, PD), false);
    }

    QpContext newQueuePair(QpType type, int number, ReceiveRing receives, boolean shared) {
        QpContext qp = new QpContext(
                type,
                number,
                PD,
                group,
                new QpQueues(
                        new SendRing(SENDS, MAX_SGE, MAX_INLINE),
                        receives,
                        shared,
                        new CompletionRing(number * 10, 64),
                        new CompletionRing(number * 10 + 1, 64),
                        slices ? new SendRing(SENDS, MAX_SGE, MAX_INLINE) : null),
                this);
        queuePairs.put(number, qp);
        qp.state(QpState.INIT);
        qp.access(Access.ALL);
        qp.retries().timeout(TransportPair.TIMEOUT_CODE);
        qp.retries().retryCount(3);
        qp.retries().rnrRetry(2);
        qp.retries().minRnrTimer(TransportPair.RNR_CODE);
        qp.connection().maxRdAtomic(TransportPair.MAX_RD_ATOMIC);
        return qp;
    }

    void post(QpContext qp, Wr... requests) {
        for (Wr request : requests) {
            request.post(qp.sendRing());
        }
        schedule(qp);
    }

    void receive(QpContext qp, long wrId, int offset, int length) {
        receive(qp, wrId, region.key(), offset, length);
    }

    /** Posts a receive of entries: key, offset and length of each. */
    void receive(QpContext qp, long wrId, int... entries) {
        ReceiveRing ring = qp.receiveRing();
        int slot = ring.claim();
        int total = 0;
        for (int i = 0; i < entries.length; i += 3) {
            int at = slot + ReceiveWqeDescriptor.DATA + i / 3 * SendWqeDescriptor.SGE_LENGTH;
            ring.buffer().putInt(at + SendWqeDescriptor.SGE_KEY, entries[i]);
            ring.buffer().putLong(at + SendWqeDescriptor.SGE_OFFSET, entries[i + 1]);
            ring.buffer().putInt(at + SendWqeDescriptor.SGE_BYTES, entries[i + 2]);
            total += entries[i + 2];
        }
        ring.buffer().putLong(slot + ReceiveWqeDescriptor.WR_ID, wrId);
        ring.buffer().putInt(slot + ReceiveWqeDescriptor.SGE_COUNT, entries.length / 3);
        ring.buffer().putInt(slot + ReceiveWqeDescriptor.LENGTH, total);
        ring.publish();
    }

    /** An append queue with memory. */
    AppendQueue appendQueue(int maxMessage) {
        AppendQueueAttributes attributes = new AppendQueueAttributes()
                .chunkLength(AppendQueueAttributes.MIN_CHUNK_LENGTH)
                .maxMessage(maxMessage);
        return appendQueue(attributes);
    }

    AppendQueue appendQueue(AppendQueueAttributes attributes) {
        AppendQueue queue = queues.create(attributes, PD, 0);
        while (allocator.doWork() > 0) {}
        return queue;
    }

    /** The messages that are in a queue: queue pair, immediate value, bytes. */
    List<String> messages(AppendQueue queue) {
        List<String> all = new ArrayList<>();
        queue.poll(
                (b, offset, length, qp, immediate, flags) -> {
                    byte[] bytes = new byte[length];
                    b.getBytes(offset, bytes);
                    all.add(length + "B"
                            + ((flags & RecordDescriptor.HAS_IMMEDIATE) != 0 ? " immediate=" + immediate : "")
                            + (RecordDescriptor.stream(flags) != 0 ? " stream=" + RecordDescriptor.stream(flags) : "")
                            + " of " + qp + " "
                            + (length == 0 ? "" : bytes[0] + ".." + bytes[length - 1]));
                },
                1000);
        return all;
    }

    /** What has completed since the last call, as text. */
    List<String> done() {
        List<String> all = completions.stream().map(Wc::toString).toList();
        completions.clear();
        return all;
    }

    /** Events since the last call. */
    List<String> takeEvents() {
        List<String> all = List.copyOf(events);
        events.clear();
        return all;
    }

    int counted(NicCounter counter) {
        return counters[counter.ordinal()];
    }

    // ---- what an engine does ------------------------------------------------------------------------------------

    /** A packet has come from a NIC. */
    void arrive(long from, Packet packet) {
        arrivals.setMemory(0, ARRIVAL_OFFSET + packet.length() + Long.BYTES, (byte) 0x33);
        arrivals.putBytes(ARRIVAL_OFFSET, packet.buffer, 0, packet.length());
        QpContext qp = queuePairs.get(packet.destinationQp());
        Opcode opcode = packet.opcode;
        if (qp == null || !qp.type().takes(opcode)) {
            throw new AssertionError("nobody takes " + packet);
        }
        if (opcode.isRequest()) {
            qp.responder().onRequest(from, opcode, arrivals, ARRIVAL_OFFSET, packet.length(), opcode.headerLength());
        } else {
            qp.requester().onResponse(opcode, arrivals, ARRIVAL_OFFSET, packet.length(), opcode.headerLength());
        }
    }

    /** Sends what is due: acknowledgements, then what is scheduled, once each. Returns whether there was something. */
    boolean turn() {
        boolean did = false;
        for (QpContext qp : List.copyOf(acknowledging)) {
            acknowledging.remove(qp);
            Path path = qp.path();
            Link link = path == null ? null : path.link();
            if (link != null && link.state() == Link.State.UP) {
                if (qp.responder().acknowledge(link)) {
                    did = true;
                } else {
                    acknowledging.add(qp);
                }
            }
        }
        for (QpContext qp : List.copyOf(blocked)) {
            Path path = qp.sendPath();
            if (path != null && path.isUp() && ((FakeLink) path.link()).room > 0) {
                blocked.remove(qp);
                scheduled.add(qp);
            }
        }
        for (QpContext qp : List.copyOf(scheduled)) {
            did = true;
            visit(qp, budget);
        }
        return did;
    }

    /** Lets a queue pair send; what becomes of it then is as its outcome says. Returns what it is charged. */
    int visit(QpContext qp, int most) {
        scheduled.remove(qp);
        int charged = qp.transmit(most);
        if (qp.outcome() == QpContext.MORE || (qp.outcome() == QpContext.IDLE && qp.hasWork())) {
            scheduled.add(qp);
        } else if (qp.outcome() == QpContext.BLOCKED) {
            blocked.add(qp);
        }
        touched.clear();
        return charged;
    }

    /** When the first timer is due, or {@link Long#MAX_VALUE}. */
    long nextTimer() {
        return timers.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    }

    /** Looks at queue pairs whose timers are due, as a timer queue does. */
    void expire() {
        for (int i = 0; nextTimer() <= now(); i++) {
            if (i > MAX_TURNS) {
                throw new AssertionError("timers without end");
            }
            for (QpContext qp : List.copyOf(timers.keySet())) {
                Long due = timers.get(qp);
                if (due != null && due <= now()) {
                    timers.remove(qp);
                    qp.onTimer(now());
                    if (qp.deadline() != Long.MAX_VALUE) {
                        arm(qp, Math.max(qp.deadline(), now() + 1));
                    }
                }
            }
        }
    }

    // ---- services -----------------------------------------------------------------------------------------------

    @Override
    public long now() {
        return clock.getAsLong();
    }

    @Override
    public @Nullable MemoryRegion region(int key) {
        return looks-- > 0 ? regions.find(key) : null;
    }

    @Override
    public @Nullable MemoryRegion remoteRegion(int key, int qpNumber) {
        return regions.findRemote(key, qpNumber);
    }

    @Override
    public MemoryTable regions() {
        return regions;
    }

    @Override
    public AddressTable addresses() {
        return addresses;
    }

    @Override
    public Path path(long peerNic) {
        return paths.computeIfAbsent(peerNic, Path::new);
    }

    @Override
    public long nicId() {
        return id;
    }

    @Override
    public Appender appender() {
        return appender;
    }

    @Override
    public void complete(
            CompletionRing ring,
            long wrId,
            int status,
            int opcode,
            int flags,
            int qpNumber,
            int peerQp,
            int byteLength,
            int immediate,
            int vendorError) {
        completions.add(new Wc(
                wrId, WcStatus.of(status), WcOpcode.of(opcode), flags, qpNumber, peerQp, byteLength, immediate, ring));
    }

    @Override
    public void touch(Path path) {
        touched.add(path);
    }

    @Override
    public void count(NicCounter counter) {
        count(counter, 1);
    }

    @Override
    public void count(NicCounter counter, int n) {
        counters[counter.ordinal()] += n;
    }

    @Override
    public void event(AsyncEventType type, long element) {
        events.add(type + " " + element);
    }

    @Override
    public void attach(QpContext qp) {
        attached.add(qp);
    }

    @Override
    public void unblock(Path path) {}

    @Override
    public void nothingUnderWay(QpContext qp) {
        settled.add(qp);
    }

    @Override
    public void schedule(QpContext qp) {
        scheduled.add(qp);
    }

    @Override
    public void acknowledge(QpContext qp) {
        acknowledging.add(qp);
    }

    @Override
    public void arm(QpContext qp, long deadlineNanos) {
        timers.merge(qp, deadlineNanos, Math::min);
    }

    @Override
    public void broken(QpContext qp, Throwable cause) {
        throw new AssertionError(cause);
    }

    @Override
    public void publishState(QpContext qp) {
        int state = qp.type() == QpType.RC ? qp.state().ordinal() : 0;
        control.setQpWord(
                qp.number(),
                QueuePairWord.pack(
                        state, qp.connection().directAccess(), qp.connection().takesFrom(), qp.pd()));
    }
}
