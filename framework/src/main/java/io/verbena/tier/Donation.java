package io.verbena.tier;

import io.verbena.Channel;
import io.verbena.ChannelListener;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.Request;
import io.verbena.Responder;
import io.verbena.Right;
import io.verbena.SendResult;
import io.verbena.SharedRegion;
import io.verbena.Tenant;
import io.verbena.Tenants;
import io.verbena.nic.port.MemoryExhaustedException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory of this process for the {@link PagedMemory} of others, which name this node as a
 * {@linkplain PagedOptions#donor donor}. It has any length, and is shared as regions of at most 1,920 MiB.
 *
 * <pre>
 *   borrower                                donor
 *   call "donation"        ───────────────▶ free? lend it to the channel that the call came by
 *   names of regions       ◀───────────────
 *   attach, READ, WRITE    ───────────────▶ regions
 *   closes the channel, or is lost ───────▶ takes the regions back, and shares fresh ones
 * </pre>
 *
 * <p>One {@link PagedMemory} at a time has all of it, and nobody else knows what its regions are called. The next one
 * gets fresh memory, which is zero. It is the memory of this process, so what lies in it ends with the process.
 *
 * <p>Thread-safe.
 */
public final class Donation implements AutoCloseable {
    /** Fewest bytes: a block of the default length. */
    public static final long MIN_BYTES = PagedOptions.DEFAULT_BLOCK_LENGTH;

    /** Most bytes: 240 GiB. */
    public static final long MAX_BYTES = Regions.MAX_COUNT * Regions.MAX_LENGTH;

    /** What a node that lends memory calls its responder. */
    static final String NAME = "donation";

    private static final Logger LOGGER = LoggerFactory.getLogger(Donation.class);
    private static final int MAX_REQUEST = 4096;

    private final Node node;
    private final Tenant tenant;
    private final long bytes;
    private final Regions lengths;
    private final Responder responder;
    private final List<SharedRegion> regions = new ArrayList<>(); // this and below: under this
    private String prefix = "";
    private State state = State.FREE;
    private @Nullable Channel borrower;
    private long loans;
    private long refusals;

    private enum State {
        /** There are regions, which nobody uses. */
        FREE,
        /** A borrower has them. */
        LENT,
        /** The regions of the last borrower are being replaced. */
        RENEWING,
        /** There was no memory for that; the next request begins it again. */
        EXHAUSTED,
        CLOSED
    }

    private Donation(Node node, Tenant tenant, long bytes, long regionLength) {
        this.node = node;
        this.tenant = tenant;
        this.bytes = bytes;
        this.lengths = Regions.of(bytes, regionLength);
        this.responder = tenant.openResponder(NAME, new InboxOptions().maxMessage(MAX_REQUEST));
    }

    /** Lends memory of the default tenant, see {@link #offer(Node, String, long)}. */
    public static Donation offer(Node node, long bytes) {
        return offer(node, Tenants.DEFAULT, bytes);
    }

    /**
     * Takes memory, all of it now, and lends it to whoever asks first. Its length is rounded down to whole blocks of
     * the borrower.
     *
     * @param node a donation each
     * @param tenant whose memory it is, and at whose expense it is read
     * @param bytes {@link #MIN_BYTES} to {@link #MAX_BYTES}
     * @throws MemoryExhaustedException if there is not as much
     * @throws IllegalArgumentException if the length is out of range, there is no such tenant, or the node has a
     *     donation already
     */
    public static Donation offer(Node node, String tenant, long bytes) {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("donated bytes " + bytes + " outside " + MIN_BYTES + ".." + MAX_BYTES);
        }
        return offer(node, tenant, bytes, Regions.MAX_LENGTH);
    }

    /** As {@link #offer(Node, String, long)}, in regions of another length, a whole number of the borrower's blocks. */
    static Donation offer(Node node, String tenant, long bytes, long regionLength) {
        Donation donation = new Donation(node, node.tenant(tenant), bytes, regionLength);
        boolean done = false;
        try {
            donation.share();
            node.addListener(donation.new Ends());
            donation.responder.onRequest(donation::onRequest);
            done = true;
            return donation;
        } finally {
            if (!done) {
                donation.close();
            }
        }
    }

    /** Notices that the borrower is gone. */
    private final class Ends implements ChannelListener {
        @Override
        public void onClose(Channel channel) {
            release(channel);
        }
    }

    // ---- lending ----------------------------------------------------------------------------------------------------

    private void onRequest(Request request) {
        String defect = LeaseFlyweight.defect(request.buffer(), request.offset(), request.length());
        if (!defect.isEmpty()) {
            Responder.fail(request.channel(), request.correlationId(), defect);
            return;
        }
        Channel channel = request.channel();
        SendResult sent = request.reply(lend(channel));
        if (sent != SendResult.SENT || !channel.isConnected()) {
            release(channel); // it may have closed before it had anything
        }
        if (sent == SendResult.BACK_PRESSURED) {
            request.again();
        }
    }

    private synchronized byte[] lend(Channel channel) {
        if (state == State.EXHAUSTED) {
            renew();
        }
        if (state != State.FREE) {
            refusals++;
            return LeaseFlyweight.answer(Regions.NONE, whyNot());
        }
        state = State.LENT;
        borrower = channel;
        loans++;
        LOGGER.info("{} lends {} bytes to node '{}'", node, bytes, channel.peerName());
        return LeaseFlyweight.answer(lengths, prefix);
    }

    private String whyNot() {
        Channel user = borrower;
        return user == null ? "its memory is being cleared" : "node '" + user.peerName() + "' has its memory";
    }

    // ---- taking back ------------------------------------------------------------------------------------------------

    private synchronized void release(Channel channel) {
        if (borrower == channel) {
            borrower = null;
            LOGGER.info("{} has its {} bytes back from node '{}'", node, bytes, channel.peerName());
            renew();
        }
    }

    /** Replaces the regions, by a thread of its own: the node's must not wait for memory. */
    private void renew() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.RENEWING;
        Thread thread = new Thread(this::replace, "verbena-donation");
        thread.setDaemon(true);
        thread.start();
    }

    private void replace() {
        unshare();
        RuntimeException failure = null;
        try {
            share();
        } catch (MemoryExhaustedException | IllegalStateException e) {
            failure = e;
        }
        boolean closed;
        synchronized (this) {
            closed = state == State.CLOSED;
            if (!closed) {
                state = failure == null ? State.FREE : State.EXHAUSTED;
            }
        }
        if (closed) {
            unshare();
        } else if (failure != null) {
            LOGGER.warn(
                    "{} cannot lend {} bytes again, and tries with the next request: {}",
                    node,
                    bytes,
                    failure.getMessage());
        }
    }

    /** Takes all memory, or none. Not under this: it takes as long as clearing the memory. */
    private void share() {
        String begin =
                NAME + "-" + UUID.randomUUID() + "-"; // from a secure generator: to know it is to have the memory
        List<SharedRegion> made = new ArrayList<>();
        boolean done = false;
        try {
            for (int i = 0; i < lengths.count(); i++) {
                made.add(tenant.share(begin + i, (int) lengths.length(i), Right.READ, Right.WRITE));
            }
            done = true;
        } finally {
            if (!done) {
                made.forEach(SharedRegion::close);
            }
        }
        synchronized (this) {
            prefix = begin;
            regions.addAll(made);
        }
    }

    private void unshare() {
        List<SharedRegion> old;
        synchronized (this) {
            old = List.copyOf(regions);
            regions.clear();
        }
        old.forEach(SharedRegion::close);
    }

    // ---- state ------------------------------------------------------------------------------------------------------

    /** What it lends, and to whom. */
    public synchronized DonationStatistics statistics() {
        Channel user = borrower;
        return new DonationStatistics(bytes, user == null ? "" : user.peerName(), loans, refusals);
    }

    /** Takes the memory back: what lies in it is lost to the borrower. Idempotent. */
    @Override
    public void close() {
        responder.close();
        synchronized (this) {
            state = State.CLOSED;
            Channel user = borrower;
            borrower = null;
            if (user != null) {
                user.close();
            }
        }
        unshare();
    }

    @Override
    public String toString() {
        return "donation of " + bytes + " bytes by " + node;
    }
}
