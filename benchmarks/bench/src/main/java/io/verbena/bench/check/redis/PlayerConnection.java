package io.verbena.bench.check.redis;

import io.verbena.bench.check.redis.Manner.End;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection: requests out as the batch's manner says, replies in, each compared with what its request expects.
 * Large bulks are compared while they come and are not kept. For its loop's thread.
 */
final class PlayerConnection {
    private static final int WRITES_PER_TURN = 4;
    private static final int READS_PER_TURN = 2;
    private static final int STREAMED = 32 << 10;
    private static final int KEPT_BUFFER = 256 << 10;

    private final ClientLoop loop;
    private final Player player;
    private final Run run;
    private final ArrayDeque<PlayerRequest> pending = new ArrayDeque<>();
    private final PlayerOutput output;

    private @Nullable SelectionKey key;
    private byte[] in = new byte[1024];
    private int inStart;
    private int inEnd;
    private Manner manner = Manner.PLAIN;
    private int depth;
    private int answered;
    private long batchBegan;
    private long readFrom;
    private boolean outputShut;
    private boolean endComes;
    private long progressNanos;

    /** What the reply that has begun must be. */
    private @Nullable Expected expected;

    /** A bulk under way that is compared as it comes, and how much of it has come. */
    private @Nullable ValueContent streamed;

    private int streamedTo;

    PlayerConnection(ClientLoop loop, Player player) {
        this.loop = loop;
        this.player = player;
        this.run = player.run();
        this.output = new PlayerOutput(Seeds.random(run.context().seed(), ~player.id()));
    }

    /** The loop was away for a while in which nobody could have seen an answer. */
    void paused(long nanos) {
        progressNanos += nanos;
    }

    void open() {
        progressNanos = System.nanoTime();
        try {
            key = loop.connect(this);
        } catch (IOException e) {
            throw failure("cannot connect to " + run.context().address() + ": " + e.getMessage());
        }
    }

    /** Begins to send a batch; nothing may be outstanding. */
    void submit(Batch batch) {
        SelectionKey open = key;
        if (open == null || !pending.isEmpty()) {
            throw new IllegalStateException(open == null ? "closed" : "a batch is under way");
        }
        manner = batch.manner();
        depth = batch.size();
        answered = 0;
        pending.addAll(batch.requests());
        output.begin(batch);
        run.tally().maxDepth.accumulate(depth);
        run.tally().commands.add(depth);
        batchBegan = System.nanoTime();
        progressNanos = batchBegan;
        readFrom = manner.pauseNanos() == 0 ? 0 : batchBegan + manner.pauseNanos();
        if (manner.pauseNanos() > 0) {
            loop.after(manner.pauseNanos(), this::resumeReading);
        }
        interest();
    }

    private void resumeReading() {
        if (key != null && readFrom != 0 && System.nanoTime() - readFrom >= 0) {
            readFrom = 0;
            progressNanos = System.nanoTime();
            interest();
        }
    }

    private void interest() {
        if (key != null) {
            key.interestOps(
                    (output.isEmpty() ? 0 : SelectionKey.OP_WRITE) | (readFrom == 0 ? SelectionKey.OP_READ : 0));
        }
    }

    /** The socket can be connected, written or read. */
    void ready() {
        SelectionKey now = key;
        if (now == null || !now.isValid()) {
            return;
        }
        try {
            if (now.isConnectable()) {
                ((SocketChannel) now.channel()).finishConnect();
                interest();
                player.idle();
                return;
            }
            if (now.isWritable()) {
                write((SocketChannel) now.channel());
            }
            if (key != null && now.isReadable()) {
                read((SocketChannel) now.channel());
            }
        } catch (IOException e) {
            throw failure("the connection broke with " + pending.size() + " replies outstanding: " + e.getMessage());
        } catch (MalformedReplyException e) {
            throw wrong(pending.peek(), expected, e.getMessage());
        }
    }

    private void write(SocketChannel channel) throws IOException {
        for (int i = 0; i < WRITES_PER_TURN && !output.isEmpty(); i++) {
            long before = output.sent();
            boolean whole = output.write(channel, manner);
            long written = output.sent() - before;
            if (written > 0) {
                run.tally().bytesOut.add(written);
                progressNanos = loop.nowNanos();
            }
            if (manner.end() == End.DIE_SENDING && output.sent() >= manner.endAfter()) {
                die();
                return;
            }
            if (!whole) {
                break;
            }
        }
        if (output.isEmpty() && manner.end() == End.HALF_CLOSE && !outputShut) {
            outputShut = true;
            channel.shutdownOutput();
            run.tally().halfCloses.increment();
        }
        interest();
    }

    private void read(SocketChannel channel) throws IOException {
        for (int i = 0; i < READS_PER_TURN; i++) {
            ByteBuffer buffer = loop.readBuffer();
            buffer.clear();
            int count = channel.read(buffer);
            if (count < 0) {
                endOfStream();
                return;
            }
            if (count == 0) {
                return;
            }
            progressNanos = loop.nowNanos();
            run.tally().bytesIn.add(count);
            buffer.flip();
            room(count);
            buffer.get(in, inEnd, count);
            inEnd += count;
            if (!takeReplies()) {
                return;
            }
            if (count < buffer.capacity()) {
                return;
            }
        }
    }

    private void room(int count) {
        if (inStart == inEnd) {
            inStart = 0;
            inEnd = 0;
            if (in.length > KEPT_BUFFER && count <= KEPT_BUFFER) {
                in = new byte[KEPT_BUFFER];
            }
        }
        if (in.length - inEnd < count) {
            int length = inEnd - inStart;
            byte[] to = in.length - length >= count ? in : new byte[Math.max(2 * in.length, length + count)];
            System.arraycopy(in, inStart, to, 0, length);
            in = to;
            inStart = 0;
            inEnd = length;
        }
    }

    /** Takes what has come; false if the connection is not this batch's any more. */
    private boolean takeReplies() {
        while (inStart < inEnd) {
            PlayerRequest request = pending.peek();
            if (request == null) {
                throw wrong(
                        null,
                        "nothing",
                        "bytes that nobody asked for: " + Text.of(Arrays.copyOfRange(in, inStart, inEnd)));
            }
            if (streamed != null ? !stream(request, streamed) : !whole(request)) {
                return true;
            }
            if (streamed == null && expected == null && !done(request)) {
                return false;
            }
        }
        return true;
    }

    /** Takes a whole reply, or begins one that is compared as it comes; false if more bytes are needed. */
    private boolean whole(PlayerRequest request) {
        int line = loop.parser().lineEnd(in, inStart, inEnd);
        if (line == ReplyParser.INCOMPLETE) {
            return false;
        }
        Expected now = expected;
        if (now == null) {
            now = begin(request, line);
            expected = now;
        }
        ValueContent content = now.content();
        if (content != null
                && content.length() >= STREAMED
                && in[inStart] == '$'
                && loop.parser().header(in, inStart, inEnd) == content.length()) {
            inStart = line;
            streamed = content;
            streamedTo = 0;
            return true;
        }
        int end = loop.parser().endOf(in, inStart, inEnd);
        if (end == ReplyParser.INCOMPLETE) {
            return false;
        }
        Reply reply = loop.parser().take(in, inStart, end);
        if (!now.matches(reply)) {
            throw wrong(request, now, reply + hint(now, reply));
        }
        inStart = end;
        expected = null;
        return true;
    }

    private Expected begin(PlayerRequest request, int line) {
        if (in[inStart] == '-' && run.context().allowOom && startsWithOom(line)) {
            run.tally().refused.increment();
            request.outcome().dropped();
            return Expected.error("OOM");
        }
        return request.outcome().apply();
    }

    private boolean startsWithOom(int line) {
        return line - inStart > 4 && in[inStart + 1] == 'O' && in[inStart + 2] == 'O' && in[inStart + 3] == 'M';
    }

    /** Compares a part of a large bulk; false if more bytes are needed. */
    private boolean stream(PlayerRequest request, ValueContent content) {
        int count = Math.min(inEnd - inStart, content.length() - streamedTo);
        int different = content.mismatch(streamedTo, in, inStart, count);
        if (different >= 0) {
            int at = inStart + different - streamedTo;
            byte[] got = Arrays.copyOfRange(in, Math.max(inStart, at - 2 * ValueContent.BLOCK), inEnd);
            throw wrong(
                    request,
                    content,
                    "from byte " + different + " on "
                            + Text.of(Arrays.copyOfRange(in, at, inEnd), content.length() - different)
                            + clause(Text.origin(got, Math.min(at - inStart, 2 * ValueContent.BLOCK), run.tag())));
        }
        inStart += count;
        streamedTo += count;
        if (streamedTo < content.length() || inEnd - inStart < 2) {
            return false;
        }
        if (in[inStart] != '\r' || in[inStart + 1] != '\n') {
            throw new MalformedReplyException("no CRLF behind a bulk of " + content.length() + " bytes");
        }
        inStart += 2;
        streamed = null;
        expected = null;
        return true;
    }

    /** A reply was as expected; false if the connection is not this batch's any more. */
    private boolean done(PlayerRequest request) {
        pending.remove();
        answered++;
        loop.count(request.command());
        if (player.latency() != null) {
            Latencies.record(player.latency(), System.nanoTime() - batchBegan);
        }
        if (manner.end() == End.DIE_READING && answered >= manner.endAfter()) {
            die();
            return false;
        }
        if (!pending.isEmpty()) {
            return true;
        }
        if (manner.end() == End.HALF_CLOSE) {
            endComes = true;
            return true;
        }
        if (inStart < inEnd) {
            throw wrong(
                    null,
                    "nothing",
                    "more came than was asked for: " + Text.of(Arrays.copyOfRange(in, inStart, inEnd)));
        }
        player.idle();
        return false;
    }

    private void endOfStream() {
        if (!endComes) {
            throw failure("the server closed the connection with " + pending.size() + " of " + depth
                    + " replies outstanding" + (outputShut ? ", after the client had shut its output only" : ""));
        }
        close();
        player.ended(List.of());
    }

    /** Resets the connection, whatever is under way. */
    private void die() {
        List<PlayerRequest> all = new ArrayList<>(pending);
        List<PlayerRequest> inDoubt = all.subList(0, Math.max(0, all.size() - output.untouched()));
        for (PlayerRequest each : all.subList(inDoubt.size(), all.size())) {
            each.outcome().dropped();
        }
        if (expected != null && !inDoubt.isEmpty()) {
            // Its reply has begun, so the model has it already.
            inDoubt = inDoubt.subList(1, inDoubt.size());
        }
        SelectionKey open = key;
        if (open != null) {
            try {
                ((SocketChannel) open.channel()).setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                throw failure("cannot reset: " + e.getMessage());
            }
        }
        close();
        run.tally().deaths.increment();
        run.tally().inDoubt.add(inDoubt.size());
        player.ended(inDoubt);
    }

    void close() {
        SelectionKey open = key;
        if (open != null) {
            key = null;
            loop.closed(this);
            try {
                open.channel().close();
            } catch (IOException e) {
                run.fail("cannot close a connection: " + e.getMessage());
            }
        }
    }

    /** Fails if what is due has not come for too long. */
    void tick(long nowNanos) {
        boolean owed =
                !pending.isEmpty() || outputShut || (key != null && (key.interestOps() & SelectionKey.OP_CONNECT) != 0);
        if (owed && readFrom == 0 && nowNanos - progressNanos > run.context().stallNanos()) {
            String what = pending.isEmpty() ? "no end of the stream, or no connection" : "no answer";
            throw report(
                    "no answer",
                    pending.peek(),
                    expected,
                    String.format(
                            "%s for %.1f s (%,d bytes sent, %,d bytes of %d requests unsent, %,d bytes of this reply)",
                            what,
                            (nowNanos - progressNanos) / 1e9,
                            output.sent(),
                            output.unsentBytes(),
                            output.unsent(),
                            inEnd - inStart + streamedTo));
        }
    }

    private String hint(Expected now, Reply reply) {
        ValueContent content = now.content();
        if (reply.type() != Reply.BULK) {
            return "";
        }
        int begin = 0;
        String place = "";
        if (content != null) {
            begin = content.mismatch(0, reply.text(), 0, Math.min(content.length(), reply.text().length));
            place = begin > 0 ? "; differs from byte " + begin + " on" : "";
        }
        return place + clause(Text.origin(reply.text(), Math.max(0, begin), run.tag()));
    }

    private static String clause(String text) {
        return text.isEmpty() ? "" : "; " + text;
    }

    private CheckFailure wrong(@Nullable PlayerRequest request, @Nullable Object wanted, @Nullable String got) {
        return report("wrong reply", request, wanted, got);
    }

    private CheckFailure report(
            String kind, @Nullable PlayerRequest request, @Nullable Object wanted, @Nullable String got) {
        return new CheckFailure(kind + "\n  connection  " + player + ", seed "
                + run.context().seed()
                + "\n  command     " + (request == null ? "none" : request.toString())
                + "\n  place       reply " + (answered + 1) + " of a pipeline of " + depth + ", " + pending.size()
                + " outstanding" + (manner.equals(Manner.PLAIN) ? "" : ", " + manner)
                + "\n  expected    " + (wanted == null ? "a reply" : wanted.toString())
                + "\n  got         " + got);
    }

    private CheckFailure failure(String text) {
        return report("connection lost", pending.peek(), expected, text);
    }
}
