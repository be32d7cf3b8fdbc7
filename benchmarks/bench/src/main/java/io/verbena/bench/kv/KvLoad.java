package io.verbena.bench.kv;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A client of a {@link KvProcess} that asks for keys at random, by READs or by requests. For one thread. */
final class KvLoad implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NAP = Duration.ofNanos(100_000);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);
    private static final int POLLED = 64;

    private final Node node;
    private final KvClient client;
    private final OneSidedReader reader;
    private final UnsafeBuffer[] keys;
    private final UnsafeBuffer value;
    private final int depth;
    private final SplittableRandom random = new SplittableRandom(1);
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final ReplyHandler onReply = this::onReply;
    private long asked;
    private long answered;

    /**
     * Connects, and sets all keys.
     *
     * @param address of the server's shard
     * @param depth operations under way
     */
    KvLoad(String address, int keyCount, int valueLength, int depth) {
        this.depth = depth;
        keys = new UnsafeBuffer[keyCount];
        for (int i = 0; i < keyCount; i++) {
            keys[i] = new UnsafeBuffer(("key:%012d".formatted(i)).getBytes(StandardCharsets.US_ASCII));
        }
        value = new UnsafeBuffer("v".repeat(valueLength).getBytes(StandardCharsets.US_ASCII));
        node = Node.launch(new NodeContext().mode(NodeMode.INVOKER).sharedMemory(address.startsWith("shm:")));
        client = KvClient.connect(node, List.of(address), TIMEOUT);
        reader = OneSidedReader.attach(client, depth, TIMEOUT);
        for (UnsafeBuffer key : keys) {
            set(key);
            awaitBelow(depth);
        }
        awaitBelow(1);
    }

    /** GETs that READs have answered, of all that were asked of the reader. */
    double hitRatio() {
        return reader.hits() / (double) Math.max(1, reader.hits() + reader.requested());
    }

    /**
     * Keeps as many operations under way as the depth says.
     *
     * @param writes per cent of them that are SETs
     * @return operations a second
     */
    double rate(boolean oneSided, int writes, double seconds) {
        long before = answered;
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        while (System.nanoTime() - end < 0) {
            while (asked - answered < depth) {
                UnsafeBuffer key = keys[random.nextInt(keys.length)];
                if (random.nextInt(100) < writes) {
                    set(key);
                } else {
                    get(key, oneSided);
                }
            }
            awaitBelow(depth);
        }
        awaitBelow(1);
        return (answered - before) * 1e9 / (System.nanoTime() - begin);
    }

    /** GETs, one at a time. */
    Histogram roundTrips(boolean oneSided, double seconds) {
        Histogram times = new Histogram(LONGEST, 3);
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        while (begin - end < 0) {
            get(keys[random.nextInt(keys.length)], oneSided);
            awaitBelow(1);
            long now = System.nanoTime();
            times.recordValue(now - begin);
            begin = now;
        }
        return times;
    }

    private void get(UnsafeBuffer key, boolean oneSided) {
        long deadline = System.nanoTime() + LONGEST;
        while (!(oneSided ? reader.get(0, key, 0, key.capacity(), asked) == SendResult.SENT : send(KvOp.GET, key))) {
            poll(deadline);
        }
        asked++;
    }

    private void set(UnsafeBuffer key) {
        long deadline = System.nanoTime() + LONGEST;
        while (!send(KvOp.SET, key)) {
            poll(deadline);
        }
        asked++;
    }

    private boolean send(KvOp op, UnsafeBuffer key) {
        int length = RequestDescriptor.HEADER_LENGTH
                + RequestDescriptor.argumentLength(key.capacity())
                + (op == KvOp.SET ? RequestDescriptor.argumentLength(value.capacity()) : 0);
        if (client.claim(0, length) != SendResult.SENT) {
            return false;
        }
        request.begin(client.claimBuffer(), client.claimOffset(), op, 0, asked, 0)
                .argument(key, 0, key.capacity());
        if (op == KvOp.SET) {
            request.argument(value, 0, value.capacity());
        }
        return client.commit() == SendResult.SENT;
    }

    /** Takes replies until fewer operations than that are under way. */
    private void awaitBelow(int limit) {
        client.flush();
        long deadline = System.nanoTime() + LONGEST;
        while (asked - answered >= limit) {
            poll(deadline);
        }
    }

    private void poll(long deadline) {
        if (reader.poll(onReply, POLLED) == 0) {
            client.flush();
            if (node.doWork() == 0) {
                node.await(NAP); // where cores are short, the server may need this one
            }
            if (System.nanoTime() - deadline > 0 || reader.lost() > 0) {
                throw new RunException("the server has not answered within " + TIMEOUT + ", " + reader.outstanding()
                        + " outstanding, " + reader.lost() + " lost");
            }
        }
    }

    private void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        cursor.next();
        if (cursor.type() != ReplyType.BULK && cursor.type() != ReplyType.STATUS) {
            throw new RunException("the server replied " + cursor.type());
        }
        answered++;
    }

    @Override
    public void close() {
        reader.close();
        client.close();
        node.close();
    }
}
