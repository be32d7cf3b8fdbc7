package io.verbena.kv.server;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.SendResult;
import io.verbena.kv.client.KvClient;
import io.verbena.kv.client.KvTransfer;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A client with a node of its own, for one thread; every wait has a bound. Replies are checked to be in order per
 * shard.
 */
final class TestClient implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NAP = Duration.ofNanos(100_000);

    final Node node;
    final KvClient client;
    /** Reply of the last {@link #call}. */
    Object reply;

    private final boolean drives;
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private final List<ArrayDeque<Long>> expected = new ArrayList<>();
    private final Map<Long, Integer> shardOf = new HashMap<>();
    final KvTransfer transfer;
    private Consumer<byte[]> raw;
    private long correlation;
    private long answered;

    TestClient(Transport transport, NodeMode mode, KvServer server) {
        this(transport, mode, transport.addresses(server));
    }

    TestClient(Transport transport, NodeMode mode, List<String> addresses) {
        this(transport.client(mode), mode, addresses);
    }

    /** With a node of these settings, which is of this mode. */
    TestClient(NodeContext context, NodeMode mode, List<String> addresses) {
        node = Node.launch(context);
        drives = mode == NodeMode.INVOKER;
        client = KvClient.connect(node, addresses, TIMEOUT);
        transfer = new KvTransfer(client);
        for (int i = 0; i < client.shards(); i++) {
            expected.add(new ArrayDeque<>());
        }
    }

    /** Beside its server, in this process. */
    TestClient(KvServer server) {
        node = Node.launch(Transport.LOCAL.client(NodeMode.INVOKER));
        drives = true;
        client = KvClient.connect(node, server, TIMEOUT);
        transfer = new KvTransfer(client);
        for (int i = 0; i < client.shards(); i++) {
            expected.add(new ArrayDeque<>());
        }
    }

    int shardOf(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
        return client.shardOf(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    /** Commits a request, after uploading it if it is longer than a message; false if its shard is gone. */
    boolean submit(int shard, KvOp op, String... arguments) {
        byte[][] bytes = new byte[arguments.length][];
        int length = RequestDescriptor.HEADER_LENGTH;
        for (int i = 0; i < arguments.length; i++) {
            bytes[i] = arguments[i].getBytes(StandardCharsets.ISO_8859_1);
            length += RequestDescriptor.argumentLength(bytes[i].length);
        }
        if (length > TransferDescriptor.MAX_MESSAGE) {
            UnsafeBuffer whole = new UnsafeBuffer(new byte[length]);
            request.begin(whole, 0, op, 0, ++correlation, 0);
            for (byte[] argument : bytes) {
                request.argument(argument);
            }
            long id = upload(transfer::uploadRequest, shard, whole, length);
            expect(shard);
            return send(() -> transfer.execute(shard, id, correlation));
        }
        if (!claim(shard, length)) {
            return false;
        }
        request.begin(client.claimBuffer(), client.claimOffset(), op, 0, ++correlation, 0);
        for (byte[] argument : bytes) {
            request.argument(argument);
        }
        expect(shard);
        return client.commit() == SendResult.SENT;
    }

    /** The next reply of a shard has the present correlation. */
    private void expect(int shard) {
        expected.get(shard).add(correlation);
        shardOf.put(correlation, shard);
    }

    /** Repeats a request until there is room for it; false if its shard is gone. */
    boolean send(Supplier<SendResult> attempt) {
        SendResult[] result = new SendResult[1];
        until(() -> {
            result[0] = attempt.get();
            if (result[0] == SendResult.BACK_PRESSURED) {
                client.flush();
            }
            return result[0] != SendResult.BACK_PRESSURED;
        });
        return result[0] == SendResult.SENT;
    }

    /** Sends a piece of an upload. */
    @FunctionalInterface
    private interface PieceSender {
        SendResult send(int shard, long id, long total, long position, DirectBuffer source, int offset, int length);
    }

    /** Uploads an argument; returns the upload's id. */
    long upload(int shard, DirectBuffer source, int length) {
        return upload(transfer::upload, shard, source, length);
    }

    private long upload(PieceSender sender, int shard, DirectBuffer source, int length) {
        long id = transfer.newUpload();
        int position = 0;
        do {
            int from = position;
            int bytes = TransferDescriptor.nextPiece(length, from);
            send(() -> sender.send(shard, id, length, from, source, from, bytes));
            position += bytes;
        } while (position < length);
        return id;
    }

    /** Commits a request whose argument of that index is an upload. */
    boolean submitUploaded(int shard, KvOp op, int index, long uploadId, String... arguments) {
        int length = RequestDescriptor.HEADER_LENGTH + RequestDescriptor.UPLOADED_ARGUMENT_LENGTH;
        for (String argument : arguments) {
            length += RequestDescriptor.argumentLength(argument.length());
        }
        if (!claim(shard, length)) {
            return false;
        }
        request.begin(client.claimBuffer(), client.claimOffset(), op, 0, ++correlation, 0);
        for (int i = 0; i <= arguments.length; i++) {
            if (i == index) {
                request.uploadedArgument(uploadId);
            }
            if (i < arguments.length) {
                request.argument(arguments[i].getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        expect(shard);
        return client.commit() == SendResult.SENT;
    }

    /** Executes such a request; its reply. */
    Object callUploaded(int shard, KvOp op, int index, long uploadId, String... arguments) {
        long before = answered;
        submitUploaded(shard, op, index, uploadId, arguments);
        return answer(before);
    }

    /** Asks for the next bytes of a stream. */
    Object read(Stream stream, long position, int length) {
        long before = answered;
        correlation++;
        expect(stream.shard);
        send(() -> transfer.read(stream.shard, stream.id, position, length, correlation));
        return answer(before);
    }

    /** Reads a stream from a position to its end, several pieces under way. */
    byte[] fetch(Stream stream, long from) {
        byte[] bytes = new byte[(int) (stream.length - from)];
        int[] filled = new int[1];
        raw = piece -> {
            System.arraycopy(piece, 0, bytes, filled[0], piece.length);
            filled[0] += piece.length;
        };
        for (long at = from; at < stream.length; ) {
            long position = at;
            int length = TransferDescriptor.nextPiece(stream.length, at);
            correlation++;
            expect(stream.shard);
            send(() -> transfer.read(stream.shard, stream.id, position, length, correlation));
            client.flush();
            until(() -> client.outstanding() < 16);
            at += length;
        }
        drain();
        raw = null;
        return bytes;
    }

    /**
     * Completes a claim of 32 bytes on shard 0 with a GET of a key of one byte; false if the shard went since the
     * claim.
     */
    boolean get(String key) {
        request.begin(client.claimBuffer(), client.claimOffset(), KvOp.GET, 0, ++correlation, 0)
                .argument(key.getBytes(StandardCharsets.ISO_8859_1));
        expected.get(0).add(correlation);
        shardOf.put(correlation, 0);
        return client.commit() == SendResult.SENT;
    }

    boolean claim(int shard, int length) {
        SendResult[] result = new SendResult[1];
        until(() -> {
            result[0] = client.claim(shard, length);
            if (result[0] == SendResult.BACK_PRESSURED) {
                client.flush();
            }
            return result[0] != SendResult.BACK_PRESSURED;
        });
        return result[0] == SendResult.SENT;
    }

    /**
     * Executes a command on the shard of its first argument; the reply as a string, a long, null, or a list of them.
     */
    Object call(KvOp op, String... arguments) {
        long before = answered;
        if (!submit(shardOf(arguments[0]), op, arguments)) {
            throw new IllegalStateException("the shard is gone");
        }
        return resolve(answer(before));
    }

    /** As {@link #call}, but streams and held replies stay where they are. */
    Object callRaw(KvOp op, String... arguments) {
        long before = answered;
        submit(shardOf(arguments[0]), op, arguments);
        return answer(before);
    }

    private Object answer(long before) {
        client.flush();
        until(() -> answered > before || client.lost() > 0);
        return reply;
    }

    /** Reads the streams of a reply. */
    Object resolve(Object value) {
        if (value instanceof Stream stream) {
            byte[] bytes = fetch(stream, 0);
            if (!stream.held) {
                return new String(bytes, StandardCharsets.ISO_8859_1);
            }
            cursor.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
            cursor.next();
            return resolve(read(stream.shard));
        }
        if (value instanceof List<?> values) {
            List<Object> resolved = new ArrayList<>();
            values.forEach(element -> resolved.add(resolve(element)));
            return resolved;
        }
        return value;
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
    void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + TIMEOUT + ": " + client.outstanding() + " outstanding");
            }
            int work = client.poll(this::onReply, 1000);
            if (drives) {
                work += node.doWork();
                if (work == 0) {
                    node.await(NAP);
                }
            } else if (work == 0) {
                Thread.yield();
            }
        }
    }

    private void onReply(DirectBuffer buffer, int offset, int length) {
        cursor.wrap(buffer, offset, length);
        long number = cursor.correlation();
        Integer shard = shardOf.remove(number);
        if (shard == null || !Long.valueOf(number).equals(expected.get(shard).poll())) {
            throw new AssertionError("reply " + number + " of shard " + shard + " is out of order");
        }
        cursor.next();
        Consumer<byte[]> taker = raw;
        if (taker != null && cursor.type() == ReplyType.BULK) {
            taker.accept(cursor.bytes());
        } else {
            reply = read(shard);
        }
        answered++;
    }

    private Object read(int shard) {
        return switch (cursor.type()) {
            case INTEGER -> cursor.integer();
            case NIL, NIL_ARRAY -> null;
            case STREAM, HELD ->
                new Stream(shard, cursor.streamId(), cursor.streamLength(), cursor.type() == ReplyType.HELD);
            case ARRAY, MAP -> {
                List<Object> values = new ArrayList<>();
                int times = cursor.type() == ReplyType.MAP ? 2 : 1;
                for (int i = times * cursor.count(); i > 0; i--) {
                    cursor.next();
                    values.add(read(shard));
                }
                yield values;
            }
            default ->
                (cursor.type() == ReplyType.ERROR ? "-" : "") + new String(cursor.bytes(), StandardCharsets.ISO_8859_1);
        };
    }

    /** Bytes that stay at a shard. */
    record Stream(int shard, long id, long length, boolean held) {}

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
