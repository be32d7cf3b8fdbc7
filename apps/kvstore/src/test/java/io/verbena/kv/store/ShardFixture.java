package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.agrona.ExpandableDirectByteBuffer;

/** A shard with a virtual clock, spoken to in commands. Text is Latin-1, so that any byte can be written. */
final class ShardFixture implements AutoCloseable {
    static final long EPOCH = 1_700_000_000_000L;

    /** What an empty shard of 16 databases may hold: the headers of their tables, and tables of 4 buckets. */
    static final long EMPTY_BYTES = 16 * (48 + 32);

    /** Bytes of the expiries of a database with up to 4,096 keys that expire. */
    static final int EXPIRIES = 33_000;

    private static final int MAX_TRIES = 10_000;

    final Shard shard;
    long now = EPOCH;
    int database;
    boolean resp3;

    private final ExpandableDirectByteBuffer buffer = new ExpandableDirectByteBuffer(4096);
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyEncoder reply = new ReplyEncoder();
    private final ReplyCursor cursor = new ReplyCursor();
    private long correlation;

    ShardFixture() {
        this(new ShardContext().seed(1));
    }

    ShardFixture(ShardContext context) {
        shard = new Shard(context, () -> now);
    }

    ShardFixture(ShardContext context, Shard.AllocatorFactory allocators) {
        shard = new Shard(context, () -> now, new Memory(), allocators);
    }

    /** Limits the replies to come, as the inbox of a client does. */
    void limitReplies(int bytes) {
        reply.limit(bytes);
    }

    /** Executes a command and leaves the cursor before the root. */
    ReplyCursor execute(String command, String... arguments) {
        KvOp op = KvOp.valueOf(command.toUpperCase(Locale.ROOT));
        request.begin(buffer, 0, op, database, ++correlation, resp3 ? RequestDescriptor.FLAG_RESP3 : 0);
        for (String argument : arguments) {
            request.argument(argument.getBytes(StandardCharsets.ISO_8859_1));
        }
        shard.execute(buffer, 0, request.length(), reply);
        for (int tries = 0; shard.waits(); tries++) {
            if (tries == MAX_TRIES) {
                throw new AssertionError(command + " waits for ever");
            }
            shard.execute(buffer, 0, request.length(), reply);
        }
        cursor.wrap(Replies.whole(reply), 0, reply.length());
        if (cursor.correlation() != correlation) {
            throw new AssertionError("correlation " + cursor.correlation());
        }
        return cursor;
    }

    /** Executes a command written with spaces; the reply as Redis writes it. */
    String resp(String line) {
        String[] words = line.split(" ");
        String[] arguments = new String[words.length - 1];
        System.arraycopy(words, 1, arguments, 0, arguments.length);
        return Resp.render(execute(words[0], arguments), resp3);
    }

    /** Executes a command written with spaces; the reply for people: strings, longs, lists, null. */
    Object run(String line) {
        String[] words = line.split(" ");
        String[] arguments = new String[words.length - 1];
        System.arraycopy(words, 1, arguments, 0, arguments.length);
        return call(words[0], arguments);
    }

    Object call(String command, String... arguments) {
        execute(command, arguments);
        cursor.next();
        Object value = read();
        if (cursor.next()) {
            throw new AssertionError("bytes behind the reply");
        }
        return value;
    }

    private Object read() {
        return switch (cursor.type()) {
            case NIL, NIL_ARRAY -> null;
            case INTEGER -> cursor.integer();
            case BULK, STATUS, ERROR, VERBATIM -> Resp.text(cursor);
            case DOUBLE -> Resp.number(cursor.doubleValue());
            case BOOLEAN -> cursor.booleanValue();
            case ARRAY, SET -> readMany(cursor.count());
            case MAP -> readMany(2 * cursor.count());
            case STREAM, HELD -> throw new AssertionError("a stream, though there is no client");
        };
    }

    private List<Object> readMany(int count) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            cursor.next();
            values.add(read());
        }
        return values;
    }

    /**
     * Deletes key by key, in all databases, and lets the shard tidy up: what is used then is all that an empty one
     * needs.
     */
    void deleteEachKey() {
        int before = database;
        for (database = 0; database < shard.databases(); database++) {
            for (Object key : (List<?>) call("KEYS", "*")) {
                call("DEL", (String) key);
            }
        }
        database = before;
        while (shard.housekeep(now, 10_000) > 0) {
            // Bounded: each round moves, frees or prepares something.
        }
    }

    @Override
    public void close() {
        shard.close();
        reply.close();
    }
}
