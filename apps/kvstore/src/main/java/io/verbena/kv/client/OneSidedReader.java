package io.verbena.kv.client;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.RemoteRegion;
import io.verbena.SendResult;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import java.time.Duration;
import org.agrona.DirectBuffer;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * GETs that a client carries out by itself, by RDMA READs of what a server publishes
 * ({@link io.verbena.kv.server.KvServerContext#oneSided}): the server's application has no part in them (the one-sided
 * GET of DRUM, fig. 15). What two READs do not find goes as an ordinary request: keys that do not exist, that expire,
 * that are no strings or do not fit into a slot, that have lost their slot to others, or that are being written. Such a
 * request also makes the server publish the key, if it can be.
 *
 * <pre>{@code
 *   OneSidedReader reader = OneSidedReader.attach(client, 64, timeout);
 *   reader.get(0, key, 0, keyLength, 7);
 *   while (...) reader.poll(handler, 100);    // a BULK, NIL or error, as of a GET by the client
 * }</pre>
 *
 * <p>A GET returns a value that the key had between {@link #get} and its reply: of a write whose reply somebody has
 * taken before, or a later one. It does not wait for writes of the same client that are not answered. GETs are answered
 * in any order. A hit leaves no trace at the server: it does not count in the server's statistics, nor as a use
 * of the key where keys are evicted by their last use. Keys that are only read this way grow idle; TOUCH them now and
 * then, or leave the memory unlimited.
 *
 * <p>For the thread that uses the client. Nothing blocks but {@link #attach} and {@link #reconnect}, and nothing is
 * allocated once running.
 */
public final class OneSidedReader implements AutoCloseable {
    private final KvClient client;
    private final RemoteRegion[] regions;
    private final int[] slotLengths;
    private final int[] setsBits;
    /** READs of each shard that have not ended. */
    private final int[] reading;

    private final boolean[] stale; // a shard's region has to be attached to again
    private int first; // which shard, or the client, is polled first

    private final OneSidedGet[] gets;
    /** Numbers of the GETs that are not under way. */
    private final IntArrayList free = new IntArrayList();
    /** Numbers of those that have to read again, or to be requested. */
    private final IntArrayList missed = new IntArrayList();

    private final OperationHandler onRead = this::onRead;
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyEncoder reply = new ReplyEncoder();
    private ReplyHandler handler = (buffer, offset, length) -> {};
    private int delivered;

    private long hits;
    private long torn;
    private long requested;
    private long lost;

    private OneSidedReader(KvClient client, int depth, Duration timeout) {
        if (depth < 1) {
            throw new IllegalArgumentException("depth " + depth + " < minimum 1");
        }
        this.client = client;
        int shards = client.shards();
        regions = new RemoteRegion[shards];
        slotLengths = new int[shards];
        setsBits = new int[shards];
        reading = new int[shards];
        stale = new boolean[shards];
        int longest = 0;
        try {
            for (int i = 0; i < shards; i++) {
                attachTo(i, timeout);
                longest = Math.max(longest, slotLengths[i]);
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        gets = new OneSidedGet[depth];
        for (int i = 0; i < depth; i++) {
            gets[i] = new OneSidedGet(longest);
            free.pushInt(i);
        }
        missed.ensureCapacity(depth);
    }

    /**
     * Attaches to what the shards of a client publish.
     *
     * @param client that sends what READs do not find; its thread uses the reader, which is closed before it
     * @param depth GETs that may read at the same time, at least 1; each takes a copy of a set
     * @param timeout longest wait for a shard
     * @throws io.verbena.ConnectionException if a shard publishes nothing, or this node may not READ it
     * @throws io.verbena.kv.protocol.ProtocolException if a shard's layout is of another version
     */
    public static OneSidedReader attach(KvClient client, int depth, Duration timeout) {
        return new OneSidedReader(client, depth, timeout);
    }

    private void attachTo(int shard, Duration timeout) {
        RemoteRegion region = client.tenant().attach(ReadIndexDescriptor.addressOf(client.address(shard)), timeout);
        UnsafeBuffer header = new UnsafeBuffer(new byte[ReadIndexDescriptor.HEADER_LENGTH]);
        try {
            region.read(0, header, 0, header.capacity(), timeout);
            ReadIndexDescriptor.checkHeader(header, region.length());
        } catch (RuntimeException e) {
            region.close();
            throw e;
        }
        regions[shard] = region;
        slotLengths[shard] = ReadIndexDescriptor.slotLength(header);
        setsBits[shard] = ReadIndexDescriptor.setsBits(header);
    }

    /**
     * Connects client and reader to a shard again that cannot be reached any more. GETs whose READs are under way there
     * go as requests, and so do all others to it until {@link #poll} has taken these READs and this is called again.
     *
     * @throws io.verbena.ConnectionException if it cannot be reached
     * @throws IllegalStateException if its slots are longer than this reader has room for
     */
    public void reconnect(int shard, Duration timeout) {
        stale[shard] |= !client.isConnected(shard) || !regions[shard].isConnected();
        client.reconnect(shard, timeout);
        if (stale[shard] && reading[shard] == 0) {
            regions[shard].close();
            attachTo(shard, timeout);
            stale[shard] = false;
            if (slotLengths[shard] * ReadIndexDescriptor.WAYS > gets[0].copy.capacity()) {
                regions[shard].close();
                throw new IllegalStateException("slot length " + slotLengths[shard] + " > maximum "
                        + gets[0].copy.capacity() / ReadIndexDescriptor.WAYS + " of this reader");
            }
        }
    }

    /**
     * Asks for the value of a key.
     *
     * @param database 0 to 65535
     * @param key holds the key; free when this returns
     * @param offset of its first byte
     * @param length in bytes
     * @param correlation comes back in the reply
     * @return SENT; BACK_PRESSURED: poll and try again; CLOSED: the shard is gone
     */
    public SendResult get(int database, DirectBuffer key, int offset, int length, long correlation) {
        int shard = client.shardOf(key, offset, length);
        if (!isReadable(shard) || !ReadIndexDescriptor.fits(length, 0, slotLengths[shard])) {
            return send(database, shard, key, offset, length, correlation);
        }
        if (free.isEmpty()) {
            return SendResult.BACK_PRESSURED;
        }
        int number = free.getInt(free.size() - 1);
        OneSidedGet get = gets[number];
        get.begin(database, shard, key, offset, length, correlation);
        SendResult result = read(get, number);
        if (result == SendResult.CLOSED) {
            return send(database, shard, key, offset, length, correlation);
        }
        if (result == SendResult.SENT) {
            free.popInt();
        }
        return result;
    }

    private boolean isReadable(int shard) {
        return !stale[shard] && regions[shard].isConnected();
    }

    private SendResult read(OneSidedGet get, int number) {
        int shard = get.shard;
        int set = ReadIndexDescriptor.setOf(get.database, get.key, 0, get.keyLength, setsBits[shard]);
        int slotLength = slotLengths[shard];
        SendResult result = regions[shard].read(
                ReadIndexDescriptor.slotOffset(set * ReadIndexDescriptor.WAYS, slotLength),
                get.copy,
                0,
                slotLength * ReadIndexDescriptor.WAYS,
                number,
                onRead);
        if (result == SendResult.SENT) {
            get.reads++;
            reading[shard]++;
        }
        return result;
    }

    private SendResult send(int database, int shard, DirectBuffer key, int offset, int length, long correlation) {
        SendResult result =
                client.claim(shard, RequestDescriptor.HEADER_LENGTH + RequestDescriptor.argumentLength(length));
        if (result != SendResult.SENT) {
            return result;
        }
        request.begin(client.claimBuffer(), client.claimOffset(), KvOp.GET, database, correlation, 0)
                .argument(key, offset, length);
        result = client.commit();
        if (result == SendResult.SENT) {
            requested++;
        }
        return result;
    }

    /**
     * Hands over what has come: values of GETs that READs have found, and all replies of the client. Not to be called
     * by its handler.
     *
     * @param replyHandler called for each
     * @param limit most replies, at least 1
     * @return number of replies
     */
    public int poll(ReplyHandler replyHandler, int limit) {
        handler = replyHandler;
        delivered = 0;
        int sources = regions.length + 1; // the client is one of them
        int requested = 0;
        for (int i = 0; i < sources && delivered + requested < limit; i++) {
            int source = first;
            first = first + 1 == sources ? 0 : first + 1;
            int left = limit - delivered - requested;
            if (source == regions.length) {
                requested = client.poll(replyHandler, left);
            } else if (reading[source] > 0) {
                regions[source].poll(left);
            }
        }
        if (!missed.isEmpty()) {
            goOn();
        }
        return delivered + requested;
    }

    private void onRead(long number, Outcome outcome, long value) {
        OneSidedGet get = gets[(int) number];
        reading[get.shard]--;
        if (outcome == Outcome.DONE) {
            switch (get.find(slotLengths[get.shard])) {
                case FOUND -> {
                    hits++;
                    delivered++;
                    reply.begin(get.correlation);
                    reply.bulk(get.copy, get.valueOffset(), get.valueLength());
                    free.pushInt((int) number);
                    handler.onReply(reply.buffer(), 0, reply.length());
                    return;
                }
                case TORN -> torn++;
                case ABSENT -> {}
            }
        } else {
            get.reads = OneSidedGet.MAX_READS;
        }
        missed.pushInt((int) number);
    }

    /** Reads again what was missed, or requests it; what there is no room for waits for the next poll. */
    private void goOn() {
        int waiting = 0;
        for (int i = 0; i < missed.size(); i++) {
            int number = missed.getInt(i);
            OneSidedGet get = gets[number];
            boolean reads = get.reads < OneSidedGet.MAX_READS && isReadable(get.shard);
            SendResult result = reads ? read(get, number) : SendResult.CLOSED;
            if (result == SendResult.CLOSED) {
                result = send(get.database, get.shard, get.key, 0, get.keyLength, get.correlation);
                if (result != SendResult.BACK_PRESSURED) {
                    free.pushInt(number);
                }
                if (result == SendResult.CLOSED) {
                    lost++;
                }
            }
            if (result == SendResult.BACK_PRESSURED) {
                missed.setInt(waiting++, number);
            }
        }
        while (missed.size() > waiting) {
            missed.popInt();
        }
        client.flush();
    }

    /** GETs and requests that may still be answered, those of the client included. */
    public long outstanding() {
        return gets.length - free.size() + client.outstanding();
    }

    /** GETs that a READ has answered. */
    public long hits() {
        return hits;
    }

    /** READs that met the key's entry while it was being written, and were refused by its checksum or version. */
    public long torn() {
        return torn;
    }

    /** GETs that went as requests. */
    public long requested() {
        return requested;
    }

    /** GETs that will not be answered, as those that the client has {@linkplain KvClient#lost() lost}. */
    public long lost() {
        return lost + client.lost();
    }

    /** Detaches; the client stays. GETs that are under way are not answered. Idempotent. */
    @Override
    public void close() {
        for (RemoteRegion region : regions) {
            if (region != null) {
                region.close();
            }
        }
        reply.close();
    }
}
