package io.verbena.kv.client;

import io.verbena.Channel;
import io.verbena.ChannelOptions;
import io.verbena.Inbox;
import io.verbena.InboxOptions;
import io.verbena.Message;
import io.verbena.MessageHandler;
import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.Tenant;
import io.verbena.Tenants;
import io.verbena.kv.KeyHash;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.TransferDescriptor;
import io.verbena.kv.server.KvServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client of a key-value store. Requests ({@link io.verbena.kv.protocol.RequestEncoder}) are composed where they
 * travel from ({@link #claim}), go out together with {@link #flush}, and their replies come back, in any order, from
 * {@link #poll}; the correlation in both says which belong together.
 *
 * <p>For one thread at a time. Nothing blocks and nothing is allocated once running. A client beside its server
 * ({@link #connect(Node, KvServer, Duration)}) runs the shards that it has appended to, if nobody else does: a request
 * then needs no thread hop.
 */
public final class KvClient implements MessageHandler, AutoCloseable {
    /** Replies come in bursts: shards do not wait for memory before they have filled so many chunks. */
    private static final int RESERVE_CHUNKS = 8;

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Node node;
    private final Tenant tenant;
    private final List<String> addresses;
    private final Inbox replies;
    private final Channel[] channels;
    private final @Nullable KvServer beside;
    private final int[] unflushed;
    private final boolean[] listed;
    private int unflushedCount;
    private int claimed = -1;
    private int claimOffset;
    /** Requests of each shard that are not answered. */
    private final long[] unanswered;

    private long outstanding;
    private long lost;
    private @Nullable ReplyHandler handler;
    private boolean closed;

    private KvClient(Node node, Tenant tenant, List<String> addresses, @Nullable KvServer beside, Duration timeout) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("shards 0 < minimum 1");
        }
        this.node = node;
        this.tenant = tenant;
        this.addresses = List.copyOf(addresses);
        this.beside = beside;
        this.channels = new Channel[addresses.size()];
        this.unflushed = new int[channels.length];
        this.listed = new boolean[channels.length];
        this.unanswered = new long[channels.length];
        this.replies = tenant.openInbox(
                "replies-" + NUMBERS.incrementAndGet(),
                new InboxOptions()
                        .chunkLength(1 << 20)
                        .reserveChunks(RESERVE_CHUNKS)
                        .maxMessage(TransferDescriptor.MAX_MESSAGE));
        try {
            for (int i = 0; i < channels.length; i++) {
                channels[i] = connect(i, timeout);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Connects to a store by its shards' addresses.
     *
     * @param node of the client; its owner thread uses the client
     * @param addresses of the shards, in order
     * @param timeout longest wait for a shard
     * @throws io.verbena.ConnectionException if a shard cannot be reached; says why
     */
    public static KvClient connect(Node node, List<String> addresses, Duration timeout) {
        return connect(node, Tenants.DEFAULT, addresses, timeout);
    }

    /**
     * The same for a client that is one of its node's tenants: its requests, READs and replies are at that tenant's
     * expense.
     *
     * @param tenant name of a tenant of the node; which of the server's tenants the client is, its addresses say
     *     ({@link KvServer#addresses(int, String)})
     * @throws IllegalArgumentException if the node has no such tenant
     */
    public static KvClient connect(Node node, String tenant, List<String> addresses, Duration timeout) {
        return new KvClient(node, node.tenant(tenant), addresses, null, timeout);
    }

    /** Connects to a server in this process, whose shards this client helps to run. */
    public static KvClient connect(Node node, KvServer server, Duration timeout) {
        return connect(node, server, Tenants.DEFAULT, timeout);
    }

    /**
     * The same for a client of one of the server's tenants.
     *
     * @throws IllegalArgumentException if the server has no such tenant
     */
    public static KvClient connect(Node node, KvServer server, String tenant, Duration timeout) {
        return new KvClient(node, node.tenant(Tenants.DEFAULT), server.localAddresses(tenant), server, timeout);
    }

    /** Number of shards. */
    public int shards() {
        return channels.length;
    }

    /** The shard of a key. */
    public int shardOf(DirectBuffer buffer, int offset, int length) {
        return KeyHash.shardOf(buffer, offset, length, channels.length);
    }

    /**
     * Connects a shard again that cannot be reached any more. Requests that it has not answered are {@link #lost()}.
     *
     * @throws io.verbena.ConnectionException if it cannot be made
     */
    public void reconnect(int shard, Duration timeout) {
        if (channels[shard].isConnected()) {
            return;
        }
        channels[shard].close();
        lost += unanswered[shard];
        outstanding -= unanswered[shard];
        unanswered[shard] = 0;
        channels[shard] = connect(shard, timeout);
    }

    private Channel connect(int shard, Duration timeout) {
        Channel channel = tenant.connect(addresses.get(shard), replies, new ChannelOptions(), timeout);
        channel.attach(new ShardNumber(shard));
        return channel;
    }

    /** Whether a shard can be reached; if not, requests to it are refused with {@link SendResult#CLOSED}. */
    public boolean isConnected(int shard) {
        return channels[shard].isConnected();
    }

    /**
     * Reserves room for a request. After SENT comes {@link #commit}, before anything else.
     *
     * @param shard that is to execute the request
     * @param length of the request in bytes, at most {@link TransferDescriptor#MAX_MESSAGE}: a longer one is uploaded
     *     first, see {@link KvTransfer}
     * @return SENT if there is room; BACK_PRESSURED: poll and try again; CLOSED: the shard is gone
     */
    public SendResult claim(int shard, int length) {
        int offset = channels[shard].tryClaim(length);
        if (offset < 0) {
            return offset == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        claimed = shard;
        claimOffset = offset;
        return SendResult.SENT;
    }

    /** Where the claimed room lies; valid until {@link #commit}. */
    public MutableDirectBuffer claimBuffer() {
        return channels[claimed].claimBuffer();
    }

    /** Where the claimed room starts. */
    public int claimOffset() {
        return claimOffset;
    }

    /**
     * Completes the claimed request. It may stay behind until {@link #flush}. Unless it says that it wants no reply, it
     * counts as {@linkplain #outstanding() outstanding} from now on.
     *
     * @return SENT, or CLOSED if the shard has gone since the claim: there will be no reply
     */
    public SendResult commit() {
        int shard = claimed;
        claimed = -1;
        int flags = channels[shard].claimBuffer().getByte(claimOffset + RequestDescriptor.FLAGS_OFFSET);
        SendResult result = channels[shard].enqueueClaim();
        if (result == SendResult.SENT) {
            sent(shard, flags);
        }
        return result;
    }

    /**
     * Sends a request in two parts, of which the second is copied no more often than it must be: for a long one that
     * ends with bytes that lie somewhere already.
     *
     * @param shard that is to execute the request
     * @param head the first part, from offset 0
     * @param headLength in bytes, at least {@link RequestDescriptor#HEADER_LENGTH}
     * @param body holds what follows
     * @param bodyOffset of its first byte
     * @param bodyLength in bytes, both together at most {@link TransferDescriptor#MAX_MESSAGE}
     * @return SENT, if it counts as {@link #commit() committed}; BACK_PRESSURED: poll and try again; CLOSED: the shard
     *     is gone
     */
    public SendResult send(
            int shard, DirectBuffer head, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
        SendResult result = channels[shard].offer(head, 0, headLength, body, bodyOffset, bodyLength);
        if (result == SendResult.SENT) {
            sent(shard, head.getByte(RequestDescriptor.FLAGS_OFFSET));
        }
        return result;
    }

    private void sent(int shard, int flags) {
        if ((flags & RequestDescriptor.FLAG_NO_REPLY) == 0) {
            outstanding++;
            unanswered[shard]++;
        }
        if (!listed[shard]) {
            listed[shard] = true;
            unflushed[unflushedCount++] = shard;
        }
    }

    /** Gives the claimed room back: nothing is sent. */
    public void abortClaim() {
        int shard = claimed;
        claimed = -1;
        channels[shard].abortClaim();
    }

    /** Sends what was committed, and runs shards in this process that nobody runs. */
    public void flush() {
        for (int i = 0; i < unflushedCount; i++) {
            int shard = unflushed[i];
            listed[shard] = false;
            channels[shard].flush();
        }
        if (beside != null) {
            for (int i = 0; i < unflushedCount; i++) {
                beside.assist(unflushed[i]);
            }
        }
        unflushedCount = 0;
    }

    /**
     * Hands over replies that have arrived.
     *
     * @param replyHandler called for each
     * @param limit most replies
     * @return number of replies
     */
    public int poll(ReplyHandler replyHandler, int limit) {
        handler = replyHandler;
        int taken = replies.poll(this, limit);
        if (taken == 0 && outstanding > 0 && beside != null) {
            for (int i = 0; i < channels.length; i++) {
                beside.assist(i); // a shard that nobody runs, or one that waited for room in the inbox
            }
            taken = replies.poll(this, limit);
        }
        if (taken == 0 && outstanding > 0) {
            giveUpLost();
        }
        return taken;
    }

    /** Shards that are gone will not answer. What they answered before has been taken: the inbox is empty. */
    private void giveUpLost() {
        for (int i = 0; i < channels.length; i++) {
            if (unanswered[i] > 0 && !channels[i].isConnected() && replies.isEmpty()) {
                lost += unanswered[i];
                outstanding -= unanswered[i];
                unanswered[i] = 0;
            }
        }
    }

    /** Requests that were committed and may still be answered. */
    public long outstanding() {
        return outstanding;
    }

    /**
     * Requests that will not be answered, since their shard was disconnected first: whether they were executed is not
     * known. Counted by {@link #poll} once nothing is left to take.
     */
    public long lost() {
        return lost;
    }

    /** Whether a reply has arrived. */
    public boolean hasReplies() {
        return !replies.isEmpty();
    }

    @Override
    public void onMessage(Message message) {
        Channel from = message.channel();
        if (from != null
                && from.attachment() instanceof ShardNumber shard
                && isCurrent(from, shard)
                && unanswered[shard.index] > 0) {
            unanswered[shard.index]--;
            outstanding--;
        }
        ReplyHandler taker = handler;
        if (taker != null) {
            taker.onReply(message.buffer(), message.offset(), message.length());
        }
    }

    /** Whether a reply is of a shard's present channel: those of an earlier one have been given up. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isCurrent(Channel from, ShardNumber shard) {
        return channels[shard.index] == from;
    }

    /** Where a shard's requests go. */
    String address(int shard) {
        return addresses.get(shard);
    }

    /** On whose account the client connects. */
    Tenant tenant() {
        return tenant;
    }

    /** The node that the client belongs to. */
    public Node node() {
        return node;
    }

    /** Disconnects. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            for (Channel channel : channels) {
                if (channel != null) {
                    channel.close();
                }
            }
            replies.close();
        }
    }

    /** Attached to a channel, so that a reply tells its shard. */
    private static final class ShardNumber {
        final int index;

        ShardNumber(int index) {
            this.index = index;
        }
    }
}
