package io.verbena.bench.path;

import io.verbena.nic.Completion;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.net.InetAddress;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs on a NIC of its own; the verb is the subclass'. The end's thread runs the engine (INVOKER), which it does
 * each time a poll finds nothing, or, where messages come without the engine, once in {@value #POLLS_PER_TURN} such
 * polls. Further producers have a NIC each, and a thread each that runs it: what they share is the far end's NIC and
 * inbox.
 */
abstract class VerbenaEnd extends End {
    private static final int POLLS_PER_TURN = 16;
    private static final int NANOS_TO_CONNECT = 1_000_000_000;

    final Initiator initiator;
    final @Nullable AppendQueue inbox;
    private final PathVerb verb;
    private final FabricKind fabric;
    private int turnMask;
    private int polls;

    VerbenaEnd(PathVerb verb, FabricKind fabric, boolean near, PathSettings settings) {
        super(settings);
        this.verb = verb;
        this.fabric = fabric;
        int qps = settings.queuePairs() * (near ? 1 : settings.producers());
        initiator = new Initiator(verb, fabric, settings, 0, qps, this::onCompletion);
        inbox = verb == PathVerb.APPEND ? initiator.domain.createAppendQueue(inboxAttributes()) : null;
    }

    /** The defaults, with chunks that hold at least four messages. */
    private AppendQueueAttributes inboxAttributes() {
        AppendQueueAttributes attributes = new AppendQueueAttributes();
        int fitting = BitUtil.findNextPositivePowerOfTwo(4 * (length + BitUtil.CACHE_LINE_LENGTH));
        return attributes
                .chunkLength(
                        Math.min(AppendQueueAttributes.MAX_CHUNK_LENGTH, Math.max(attributes.chunkLength(), fitting)))
                .maxMessage(Math.max(length, attributes.maxMessage()));
    }

    /** Connects the two ends. */
    final VerbenaEnd join(Rendezvous rendezvous, boolean near) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        long peer;
        if (near) {
            String address = rendezvous.hear(initiator.node::drive);
            peer = join(initiator, rendezvous, address, inbox);
            openProducers(index -> new NicProducer(index, rendezvous, address), initiator.node::drive);
        } else {
            rendezvous.tell(initiator.node.listen(loopback));
            peer = accept(rendezvous, 0);
            for (int i = 1; i < settings.producers(); i++) {
                accept(rendezvous, i * settings.queuePairs());
            }
        }
        turnMask = isDirectArrival() && initiator.node.isDirect(peer) ? POLLS_PER_TURN - 1 : 0;
        prepare();
        rendezvous.meet(initiator.node::drive);
        return this;
    }

    private static long join(Initiator initiator, Rendezvous rendezvous, String address, @Nullable AppendQueue inbox) {
        initiator.node.connect(InetAddress.getLoopbackAddress(), address, 10L * NANOS_TO_CONNECT);
        rendezvous.tell(address(initiator, inbox, 0));
        return initiator.connect(rendezvous.hear(initiator.node::drive), 0);
    }

    private long accept(Rendezvous rendezvous, int firstQp) {
        rendezvous.tell(address(initiator, inbox, firstQp));
        return initiator.connect(rendezvous.hear(initiator.node::drive), firstQp);
    }

    private static String address(Initiator initiator, @Nullable AppendQueue inbox, int firstQp) {
        return inbox == null ? initiator.address(0, 0, firstQp) : initiator.address(inbox.id(), inbox.key(), firstQp);
    }

    /** Gets ready for messages: the queue pairs are connected, and nothing has been sent yet. */
    void prepare() {}

    /** Whether messages of this verb come without a turn of this end's engine, if the path is direct. */
    abstract boolean isDirectArrival();

    /** Looks for messages where the verb puts them. */
    abstract int take(int limit);

    /** A completion without error. Unsignaled requests that succeed make none. */
    void onCompletion(Completion completion) {}

    final AppendQueue inbox() {
        AppendQueue own = inbox;
        if (own == null) {
            throw new RunException("no inbox for " + verb);
        }
        return own;
    }

    @Override
    public boolean offer(long number) {
        return initiator.offer(number);
    }

    @Override
    public void flush() {
        initiator.flush();
    }

    @Override
    int receive(int limit) {
        int count = take(limit);
        if (count == 0 && (++polls & turnMask) == 0) {
            initiator.poll(limit);
            count = take(limit);
        }
        return count;
    }

    @Override
    public void close() {
        super.close();
        if (inbox != null) {
            inbox.destroy(true);
        }
        initiator.close();
    }

    /** A producer with a NIC of its own. */
    private final class NicProducer extends Producer implements AutoCloseable {
        private final Initiator own;

        NicProducer(int index, Rendezvous rendezvous, String address) {
            super(settings.waiting());
            own = new Initiator(verb, fabric, settings, index, settings.queuePairs(), Initiator::ignore);
            VerbenaEnd.join(own, rendezvous, address, null);
        }

        @Override
        public boolean offer(long number) {
            return own.offer(number);
        }

        @Override
        public void flush() {
            own.flush();
        }

        @Override
        void drain() {
            own.flush();
            WaitLimit deadline = WaitLimit.ofSeconds(10, "acknowledgement of all messages of a producer");
            while (!own.isDone()) {
                own.poll(Initiator.POLL);
                deadline.check();
            }
        }

        @Override
        public void close() {
            own.close();
        }
    }
}
