package io.verbena.bench.kv;

import io.verbena.Node;
import io.verbena.SendResult;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.OneSidedReader;
import io.verbena.kv.client.ReplyHandler;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.verification.RunException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client of a {@link KvProcess} that asks for keys at random, by READs or by requests, and checks that each operation
 * is answered once, and each GET with the value of its key. For one thread.
 */
final class KeyClient implements AutoCloseable {
    private static final int NONE = Integer.MIN_VALUE;

    private final KeySet keys;
    private final KvClient client;
    private final OneSidedReader reader;
    private final SplittableRandom random;
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final ReplyHandler onReply = this::onReply;
    private final int[] underWay; // key of each operation; its complement of a SET
    private final int[] free; // numbers of operations
    private int freeCount;
    private long answered;

    /**
     * Connects.
     *
     * @param tenant of the node
     * @param address of the server's shard
     * @param depth operations under way at most
     * @param seed of the keys' order
     */
    KeyClient(Node node, String tenant, String address, KeySet keys, int depth, long seed, Duration timeout) {
        this.keys = keys;
        client = KvClient.connect(node, tenant, List.of(address), timeout);
        try {
            reader = OneSidedReader.attach(client, depth, timeout);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
        random = new SplittableRandom(seed);
        underWay = new int[depth];
        Arrays.fill(underWay, NONE);
        free = new int[depth];
        Arrays.setAll(free, i -> i);
        freeCount = depth;
    }

    /** Operations that are not answered. */
    int outstanding() {
        return underWay.length - freeCount;
    }

    /** Operations that were answered. */
    long answered() {
        return answered;
    }

    /** GETs that READs have answered, of all that were asked of the reader. */
    double hitRatio() {
        return reader.hits() / (double) Math.max(1, reader.hits() + reader.requested());
    }

    /** Asks for any key. Returns whether it could: if not, poll first. */
    boolean get(boolean oneSided) {
        if (freeCount == 0) {
            return false;
        }
        int number = random.nextInt(keys.size());
        UnsafeBuffer key = keys.key(number);
        boolean isSent = oneSided ? read(key) : request(KvOp.GET, key, null);
        return isSent && begin(number);
    }

    /** Sets a key; as {@link #get}. */
    boolean set(int number) {
        return freeCount > 0 && request(KvOp.SET, keys.key(number), keys.value(number)) && begin(~number);
    }

    /** Sets any key; as {@link #get}. */
    boolean set() {
        return set(random.nextInt(keys.size()));
    }

    private boolean begin(int entry) {
        underWay[free[--freeCount]] = entry;
        return true;
    }

    private int next() {
        return free[freeCount - 1];
    }

    private boolean read(UnsafeBuffer key) {
        SendResult result = reader.get(0, key, 0, key.capacity(), next());
        if (result == SendResult.CLOSED) {
            throw new RunException("the server is gone");
        }
        return result == SendResult.SENT;
    }

    private boolean request(KvOp op, UnsafeBuffer key, @Nullable UnsafeBuffer value) {
        int length = RequestDescriptor.HEADER_LENGTH
                + RequestDescriptor.argumentLength(key.capacity())
                + (value == null ? 0 : RequestDescriptor.argumentLength(value.capacity()));
        SendResult result = client.claim(0, length);
        if (result == SendResult.SENT) {
            request.begin(client.claimBuffer(), client.claimOffset(), op, 0, next(), 0)
                    .argument(key, 0, key.capacity());
            if (value != null) {
                request.argument(value, 0, value.capacity());
            }
            result = client.commit();
        }
        if (result == SendResult.CLOSED) {
            throw new RunException("the server is gone");
        }
        return result == SendResult.SENT;
    }

    /** Sends what was asked for. */
    void flush() {
        client.flush();
    }

    /** Takes replies, so many at most. Returns how many. */
    int poll(int limit) {
        int taken = reader.poll(onReply, limit);
        if (reader.lost() > 0) {
            throw new RunException(reader.lost() + " operations were lost");
        }
        return taken;
    }

    private void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        cursor.next();
        long number = cursor.correlation();
        int entry = number >= 0 && number < underWay.length ? underWay[(int) number] : NONE;
        if (entry == NONE) {
            throw new RunException("a reply to operation " + number + ", which is not under way");
        }
        if (entry < 0 ? cursor.type() != ReplyType.STATUS : !isValue(keys.value(entry))) {
            throw new RunException("the reply to " + (entry < 0 ? "a SET" : "a GET of key " + entry) + ", of type "
                    + cursor.type() + ", is not what it has to be");
        }
        underWay[(int) number] = NONE;
        free[freeCount++] = (int) number;
        answered++;
    }

    private boolean isValue(UnsafeBuffer value) {
        if (cursor.type() != ReplyType.BULK || cursor.textLength() != value.capacity()) {
            return false;
        }
        int at = cursor.textOffset();
        int i = 0;
        for (; i + Long.BYTES <= value.capacity(); i += Long.BYTES) {
            if (cursor.buffer().getLong(at + i) != value.getLong(i)) {
                return false;
            }
        }
        for (; i < value.capacity(); i++) {
            if (cursor.buffer().getByte(at + i) != value.getByte(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        reader.close();
        client.close();
    }
}
