package io.verbena;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of several peers, each by several queue pairs, and messages beside it: the session of the RDMAbox paper
 * (section IV-C).
 *
 * <pre>{@code
 *   RemoteSession session = node.remote(new RemoteOptions("pages")
 *           .peer("tcp://10.0.0.7:9000")
 *           .peer("tcp://10.0.0.8:9000")
 *           .onCompletion((id, outcome, value) -> ...), Duration.ofSeconds(5)).pollOnNode();
 *   session.write(1, 4096, source, 0, 4096, 7);
 * }</pre>
 *
 * <p>A peer's memory is cut into blocks, which its queue pairs are dealt in turn. An operation lies within one block.
 * Operations of the same block keep the order that {@link RemoteRegion} promises; there is none among those of others:
 * wait for the end of what must come first.
 *
 * <p>Any number of threads post, unless {@link RemoteOptions#region} says otherwise. One at a time polls, others get 0.
 * A peer that is lost takes its own operations along, which end in {@link Outcome#CLOSED}, and no others.
 */
public final class RemoteSession implements AutoCloseable {
    private final int blockShift;
    private final OperationHandler onCompletion;
    private final Peer[] peers;
    private final @Nullable Inbox answers;
    private final SessionWaiting waiting;
    private final AtomicInteger turn = new AtomicInteger();

    /** One of those whose memory it is. */
    private record Peer(
            String address,
            List<RemoteRegion> regions,
            @Nullable Channel channel) {}

    private RemoteSession(RemoteOptions options, Peer[] peers, @Nullable Inbox answers) {
        this.blockShift = Integer.numberOfTrailingZeros(options.blockLength);
        this.onCompletion = options.onCompletion;
        this.peers = peers;
        this.answers = answers;
        this.waiting = new SessionWaiting(this, peers[0].regions.get(0).driver());
    }

    /** Connects to all peers, or to none. */
    static RemoteSession open(Tenant tenant, RemoteOptions options, Duration timeout) {
        if (options.places.isEmpty()) {
            throw new IllegalArgumentException("a session without a peer");
        }
        List<AutoCloseable> opened = new ArrayList<>();
        RemoteSession session = null;
        try {
            Inbox answers = null;
            if (options.inbox != null) {
                answers = tenant.openInbox("session-" + UUID.randomUUID(), new InboxOptions());
                opened.add(answers);
                answers.onMessage(options.onMessage);
            }
            Peer[] peers = new Peer[options.places.size()];
            for (int i = 0; i < peers.length; i++) {
                peers[i] = connect(tenant, options.places.get(i), options, answers, timeout, opened);
            }
            session = new RemoteSession(options, peers, answers);
            return session;
        } finally {
            if (session == null) {
                opened.forEach(RemoteSession::closeQuietly);
            }
        }
    }

    private static Peer connect(
            Tenant tenant,
            RemoteOptions.Place place,
            RemoteOptions options,
            @Nullable Inbox answers,
            Duration timeout,
            List<AutoCloseable> opened) {
        List<RemoteRegion> regions = new ArrayList<>();
        for (int i = 0; i < options.queuePairs; i++) {
            RemoteRegion region = tenant.attach(place.address() + "/" + place.memory(), options.region, timeout);
            regions.add(region);
            opened.add(region);
        }
        Channel channel = null;
        if (options.inbox != null) {
            channel = tenant.connect(place.address() + "/" + options.inbox, answers, new ChannelOptions(), timeout);
            opened.add(channel);
        }
        return new Peer(place.address(), regions, channel);
    }

    private static void closeQuietly(AutoCloseable what) {
        try {
            what.close();
        } catch (Exception e) {
            throw new IllegalStateException(what + " does not close", e); // none of them declares one
        }
    }

    /** Peers, numbered from 0. */
    public int peers() {
        return peers.length;
    }

    /** Bytes of a peer's memory. */
    public long length(int peer) {
        return peer(peer).regions.get(0).length();
    }

    private Peer peer(int number) {
        if (number < 0 || number >= peers.length) {
            throw new IndexOutOfBoundsException("peer " + number + " outside 0 to " + (peers.length - 1));
        }
        return peers[number];
    }

    /**
     * The region by which operations on a range go: for atomic operations, and for those that a thread waits for. It is
     * polled as the session is.
     *
     * @param peer number of the peer
     * @param offset in its memory
     * @param length in bytes, at least 0
     * @throws IllegalArgumentException if the range is not within one block
     */
    public RemoteRegion region(int peer, long offset, int length) {
        List<RemoteRegion> regions = peer(peer).regions;
        long block = offset >> blockShift;
        if (length > 0 && (offset + length - 1) >> blockShift != block) {
            throw new IllegalArgumentException("offset " + offset + " + length " + length + " leaves the block of "
                    + (1 << blockShift) + " bytes that it begins in");
        }
        return regions.get((int) Math.floorMod(block, (long) regions.size()));
    }

    /**
     * Reads, and tells the session's handler; otherwise as
     * {@link RemoteRegion#read(long, MutableDirectBuffer, int, int, long, OperationHandler)}.
     */
    public SendResult read(
            int peer, long offset, MutableDirectBuffer target, int targetOffset, int length, long correlationId) {
        return read(peer, offset, target, targetOffset, length, correlationId, onCompletion);
    }

    /** Reads, with a handler of its own. */
    public SendResult read(
            int peer,
            long offset,
            MutableDirectBuffer target,
            int targetOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        return region(peer, offset, length).read(offset, target, targetOffset, length, correlationId, handler);
    }

    /**
     * Writes, and tells the session's handler; otherwise as
     * {@link RemoteRegion#write(long, DirectBuffer, int, int, long, OperationHandler)}.
     */
    public SendResult write(
            int peer, long offset, DirectBuffer source, int sourceOffset, int length, long correlationId) {
        return write(peer, offset, source, sourceOffset, length, correlationId, onCompletion);
    }

    /** Writes, with a handler of its own. */
    public SendResult write(
            int peer,
            long offset,
            DirectBuffer source,
            int sourceOffset,
            int length,
            long correlationId,
            OperationHandler handler) {
        return region(peer, offset, length).write(offset, source, sourceOffset, length, correlationId, handler);
    }

    /**
     * Sends a message to the inbox that {@link RemoteOptions#messages} names, as {@link Channel#offer}.
     *
     * @throws IllegalStateException if there is none
     */
    public SendResult send(int peer, DirectBuffer buffer, int offset, int length) {
        Channel channel = peer(peer).channel;
        if (channel == null) {
            throw new IllegalStateException("the session has no messages, see RemoteOptions.messages");
        }
        return channel.offer(buffer, offset, length);
    }

    /**
     * Calls the handlers of operations that have ended, of each queue pair the oldest first, and does a share of the
     * node's work if there are none, as {@link RemoteRegion#poll}.
     *
     * @param limit most operations, at least 1
     * @return operations
     */
    public int poll(int limit) {
        int count = peers.length * peers[0].regions.size();
        int first = Math.floorMod(turn.getAndIncrement(), count); // each is the first one in turn
        int told = 0;
        for (int i = 0; i < count && told < limit; i++) {
            RemoteRegion region = at((first + i) % count);
            if (region.outstanding() > 0) {
                told += region.poll(limit - told);
            }
        }
        return told > 0 ? told : at(first).poll(limit);
    }

    private RemoteRegion at(int number) {
        int each = peers[0].regions.size();
        return peers[number / each].regions.get(number % each);
    }

    /**
     * Polls until a condition holds that handlers bring about, and sleeps in between. A handler that another thread may
     * call has to unpark the threads that wait for what it does, otherwise they notice within 10 ms.
     *
     * @param condition looked at often; must be cheap
     * @param timeout how long it may take
     * @return whether the condition holds
     * @throws IllegalStateException within a callback of the node, or a handler of this session, unless the condition
     *     holds
     */
    public boolean await(BooleanSupplier condition, Duration timeout) {
        return condition.getAsBoolean() || waiting.await(condition, timeout);
    }

    boolean isPolledByThisThread() {
        for (Peer peer : peers) {
            for (RemoteRegion region : peer.regions) {
                if (region.isPolledByThisThread()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether an operation has ended whose handler was not called yet. */
    boolean hasCompletion() {
        for (Peer peer : peers) {
            for (RemoteRegion region : peer.regions) {
                if (region.parkCheck().getAsBoolean()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Lets the node poll, as {@link RemoteRegion#pollOnNode}. */
    public RemoteSession pollOnNode() {
        for (Peer peer : peers) {
            for (RemoteRegion region : peer.regions) {
                region.pollOnNode();
            }
        }
        return this;
    }

    /** Operations that were posted and are not over. The handler of one that is over may be about to be called. */
    public int outstanding() {
        int sum = 0;
        for (Peer peer : peers) {
            for (RemoteRegion region : peer.regions) {
                sum += region.outstanding();
            }
        }
        return sum;
    }

    /** What the operations on a peer's memory were and cost, and how much is under way to it. */
    public RegionStatistics statistics(int peer) {
        List<RemoteRegion> regions = peer(peer).regions;
        RegionStatistics sum = regions.get(0).statistics();
        for (int i = 1; i < regions.size(); i++) {
            sum = sum.plus(regions.get(i).statistics());
        }
        return sum;
    }

    /** Whether a peer's memory takes operations by all of its queue pairs. The channel for messages does not count. */
    public boolean isConnected(int peer) {
        for (RemoteRegion region : peer(peer).regions) {
            if (!region.isConnected()) {
                return false;
            }
        }
        return true;
    }

    /** Why one of a peer's queue pairs takes no operations any more; null while all do. */
    public @Nullable CloseReason closeReason(int peer) {
        CloseReason reason = null;
        for (RemoteRegion region : peer(peer).regions) {
            reason = reason == null ? region.closeReason() : reason;
        }
        return reason;
    }

    /**
     * Closes it. What was posted is still done, within the node's linger time; the rest ends in {@link Outcome#CLOSED}.
     * Does not wait for that. Idempotent.
     */
    @Override
    public void close() {
        for (Peer peer : peers) {
            for (RemoteRegion region : peer.regions) {
                region.close();
            }
            if (peer.channel != null) {
                peer.channel.close();
            }
        }
        if (answers != null) {
            answers.close();
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("session with");
        for (Peer peer : peers) {
            text.append(' ').append(peer.address);
        }
        return text.toString();
    }
}
