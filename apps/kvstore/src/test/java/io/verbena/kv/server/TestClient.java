package io.verbena.kv.server;

import io.verbena.Node;
import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A client with a node of its own, for one thread; every wait has a bound. Replies are checked to be in order per shard. */
final class TestClient implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    final Node node;
    final KvClient client;
    /** Reply of the last {@link #call}. */
    Object reply;

    private final boolean drives;
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final List<ArrayDeque<Long>> expected = new ArrayList<>();
    private final Map<Long, Integer> shardOf = new HashMap<>();
    private long correlation;
    private long answered;

    TestClient(final Transport transport, final NodeMode mode, final KvServer server) {
        this(transport, mode, transport.addresses(server));
    }

    TestClient(final Transport transport, final NodeMode mode, final List<String> addresses) {
        node = Node.launch(transport.client(mode));
        drives = mode == NodeMode.INVOKER;
        client = KvClient.connect(node, addresses, TIMEOUT);
        for (int i = 0; i < client.shards(); i++) {
            expected.add(new ArrayDeque<>());
        }
    }

    /** Beside its server, in this process. */
    TestClient(final KvServer server) {
        node = Node.launch(Transport.LOCAL.client(NodeMode.INVOKER));
        drives = true;
        client = KvClient.connect(node, server, TIMEOUT);
        for (int i = 0; i < client.shards(); i++) {
            expected.add(new ArrayDeque<>());
        }
    }

    int shardOf(final String key) {
        final byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
        return client.shardOf(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    /** Commits a request; false if its shard is gone. */
    boolean submit(final int shard, final KvOp op, final String... arguments) {
        final byte[][] bytes = new byte[arguments.length][];
        int length = RequestDescriptor.HEADER_LENGTH;
        for (int i = 0; i < arguments.length; i++) {
            bytes[i] = arguments[i].getBytes(StandardCharsets.ISO_8859_1);
            length += RequestDescriptor.argumentLength(bytes[i].length);
        }
        if (!claim(shard, length)) {
            return false;
        }
        request.begin(client.claimBuffer(), client.claimOffset(), op, 0, ++correlation, 0);
        for (final byte[] argument : bytes) {
            request.argument(argument);
        }
        expected.get(shard).add(correlation);
        shardOf.put(correlation, shard);
        return client.commit() == SendResult.SENT;
    }

    /** Completes a claim of 32 bytes on shard 0 with a GET of a key of one byte; false if the shard went since the claim. */
    boolean get(final String key) {
        request.begin(client.claimBuffer(), client.claimOffset(), KvOp.GET, 0, ++correlation, 0)
                .argument(key.getBytes(StandardCharsets.ISO_8859_1));
        expected.get(0).add(correlation);
        shardOf.put(correlation, 0);
        return client.commit() == SendResult.SENT;
    }

    boolean claim(final int shard, final int length) {
        final SendResult[] result = new SendResult[1];
        until(() -> {
            result[0] = client.claim(shard, length);
            if (result[0] == SendResult.BACK_PRESSURED) {
                client.flush();
            }
            return result[0] != SendResult.BACK_PRESSURED;
        });
        return result[0] == SendResult.SENT;
    }

    /** Executes a command on the shard of its first argument; the reply as a string, a long, null, or a list of them. */
    Object call(final KvOp op, final String... arguments) {
        final long before = answered;
        if (!submit(shardOf(arguments[0]), op, arguments)) {
            throw new IllegalStateException("the shard is gone");
        }
        client.flush();
        until(() -> answered > before || client.lost() > 0);
        return reply;
    }

    /** Takes replies until none is due. */
    void drain() {
        client.flush();
        until(() -> client.outstanding() == 0);
    }

    long answered() {
        return answered;
    }

    /** Takes replies, and drives the node if nobody else does, until a condition holds. */
    void until(final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + TIMEOUT + ": " + client.outstanding() + " outstanding");
            }
            int work = client.poll(this::onReply, 1000);
            if (drives) {
                work += node.doWork();
                if (work == 0) {
                    node.await(100_000);
                }
            } else if (work == 0) {
                Thread.yield();
            }
        }
    }

    private void onReply(final DirectBuffer buffer, final int offset, final int length) {
        cursor.wrap(buffer, offset, length);
        final long number = cursor.correlation();
        final Integer shard = shardOf.remove(number);
        if (shard == null || !Long.valueOf(number).equals(expected.get(shard).poll())) {
            throw new AssertionError("reply " + number + " of shard " + shard + " is out of order");
        }
        cursor.next();
        reply = read();
        answered++;
    }

    private Object read() {
        return switch (cursor.type()) {
            case INTEGER -> cursor.integer();
            case NIL, NIL_ARRAY -> null;
            case ARRAY -> {
                final List<Object> values = new ArrayList<>();
                for (int i = cursor.count(); i > 0; i--) {
                    cursor.next();
                    values.add(read());
                }
                yield values;
            }
            default ->
                (cursor.type() == ReplyType.ERROR ? "-" : "") + new String(cursor.bytes(), StandardCharsets.ISO_8859_1);
        };
    }

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
