package io.verbena.kv.store;

import io.verbena.kv.protocol.DoubleText;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyDescriptor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestFlyweight;
import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an operation sees while it runs: its arguments, the reply, the database, the clock, and scratch space. One a
 * shard, set anew for each request.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Execution {
    private static final byte[] OK = "OK".getBytes(StandardCharsets.US_ASCII);
    /** Bytes of user's text that an error repeats, as in Redis. */
    private static final int MAX_ERROR_TEXT = 128;

    /** The headers of a reply's arrays. */
    private static final int HEADERS = 4 * ReplyDescriptor.VALUE_HEADER_LENGTH;

    private static final byte[] EMPTY = new byte[0];

    final Memory memory;
    final Values values;
    final Keyspace[] databases;
    final ShardStatistics statistics;
    final SplittableRandom random;
    final ShardContext context;

    final RequestFlyweight request = new RequestFlyweight();
    final UnsafeBuffer in = request.buffer();
    final DecimalParser decimals = new DecimalParser();
    final FloatParser floats = new FloatParser();
    final DoubleText doubleText = new DoubleText();
    final LongList entries = new LongList();
    final UnsafeBuffer scratch = new UnsafeBuffer(new byte[DoubleText.MAX_FIXED_LENGTH]);

    ReplyEncoder reply;
    /** What the caller transfers in pieces; null if it takes and gives everything at once. */
    @Nullable
    ClientTransfers transfers;

    Keyspace keyspace;
    KvOp op = KvOp.GET;
    boolean resp3;
    long now;

    /** Bytes of the string value that {@link #view(long)} was asked for. */
    final View view = new View(scratch);

    // The reply is named by each request.
    @SuppressWarnings("NullAway.Init")
    Execution(
            Memory memory,
            Values values,
            Keyspace[] databases,
            ShardStatistics statistics,
            SplittableRandom random,
            ShardContext context) {
        this.memory = memory;
        this.values = values;
        this.databases = databases;
        this.statistics = statistics;
        this.random = random;
        this.context = context;
        this.keyspace = databases[0];
    }

    int argc() {
        return request.argc();
    }

    int at(int argument) {
        return request.argumentOffset(argument);
    }

    int length(int argument) {
        return request.argumentLength(argument);
    }

    /** Text of an argument, for errors: not more than its first 128 bytes. */
    String text(int argument) {
        return in.getStringWithoutLengthUtf8(at(argument), Math.min(MAX_ERROR_TEXT, length(argument)));
    }

    /** True if an argument is a word in any case; the word is given in lower case. */
    boolean is(int argument, byte[] lowerWord) {
        int length = length(argument);
        if (length != lowerWord.length) {
            return false;
        }
        int at = at(argument);
        for (int i = 0; i < length; i++) {
            byte b = in.getByte(at + i);
            if ((b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b) != lowerWord[i]) {
                return false;
            }
        }
        return true;
    }

    static byte[] word(String lower) {
        return lower.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads an argument as an integer into {@link #number()}; if it is none, replies with the error and returns false.
     */
    boolean integer(int argument) {
        return integer(argument, Errors.NOT_AN_INTEGER);
    }

    boolean integer(int argument, byte[] error) {
        if (decimals.parse(in, at(argument), length(argument))) {
            return true;
        }
        error(error);
        return false;
    }

    /** Reads an argument as an integer of 0 or more; if it is none, replies with the error and returns false. */
    boolean naturalNumber(int argument, byte[] error) {
        if (!integer(argument, error)) {
            return false;
        }
        if (number() < 0) {
            error(error);
            return false;
        }
        return true;
    }

    long number() {
        return decimals.value();
    }

    /** Reads an argument as a float; if it is none, replies with the error and returns false. */
    boolean floating(int argument, byte[] error) {
        if (floats.parse(in, at(argument), length(argument))) {
            return true;
        }
        error(error);
        return false;
    }

    /** Finds a key for a read: counts a hit or a miss. */
    long lookupRead(int argument) {
        long entry = keyspace.lookup(in, at(argument), length(argument), now);
        if (entry == Memory.NULL) {
            statistics.miss();
        } else {
            statistics.hit();
            keyspace.touch(entry, now);
        }
        return entry;
    }

    /** Finds a key for a write. */
    long lookupWrite(int argument) {
        long entry = keyspace.lookup(in, at(argument), length(argument), now);
        if (entry != Memory.NULL) {
            keyspace.touch(entry, now);
        }
        return entry;
    }

    /** Finds a key without that counting as a use of it. */
    long lookupQuietly(int argument) {
        long entry = keyspace.lookup(in, at(argument), length(argument), now);
        if (entry == Memory.NULL) {
            statistics.miss();
        } else {
            statistics.hit();
        }
        return entry;
    }

    /** Adds the key that the last lookup, of the same argument, did not find. */
    long add(int argument, byte type, byte encoding, long value) {
        return keyspace.add(in, at(argument), length(argument), type, encoding, value, now);
    }

    /** As {@link #add}, but releases the value if there is no memory for the key. */
    long addOrRelease(int argument, byte type, byte encoding, long value) {
        try {
            return add(argument, type, encoding, value);
        } catch (AllocationFailedException failure) {
            values.release(type, encoding, value);
            throw failure;
        }
    }

    /** True if a key has that type; else replies with an error. */
    boolean hasType(long entry, byte type) {
        if (keyspace.type(entry) == type) {
            return true;
        }
        error(Errors.WRONG_TYPE);
        return false;
    }

    /** Makes the bytes of a string value visible; a number is turned into text in the scratch space. */
    void view(long entry) {
        if (keyspace.encoding(entry) == ValueType.INT) {
            view.set(scratch, 0, scratch.putLongAscii(0, keyspace.value(entry)));
        } else {
            viewBlock(keyspace.value(entry));
        }
    }

    void viewBlock(long block) {
        view.set(
                memory.buffer(block),
                Memory.offset(block) + StringBlock.BYTES,
                values.strings().length(block));
    }

    /** Replies with bytes of a block; if it is an extent, with a stream of them, so that they are not copied here. */
    void bulk(long address, int length) {
        if (length > TransferDescriptor.PIECE_LENGTH) {
            ClientTransfers client = transfers;
            if (client != null && client.isExtent(address)) {
                reply.stream(client.open(address, length), length);
                return;
            }
        }
        reply.bulk(memory.buffer(address), Memory.offset(address), length);
    }

    void bulkOfBlock(long block) {
        bulk(block + StringBlock.BYTES, values.strings().length(block));
    }

    /** Replies with a key or member. */
    void bulkOfKey(Dictionary dictionary, long entry) {
        bulk(dictionary.keyAddress(entry), dictionary.keyLength(entry));
    }

    /** What an argument was uploaded as; it is complete. */
    Upload upload(int argument) {
        ClientTransfers client = transfers;
        Upload upload = client == null ? null : client.upload(request.uploadId(argument));
        if (upload == null) {
            throw new IllegalStateException("argument " + argument + " has no upload");
        }
        return upload;
    }

    /**
     * Makes the memory of an upload a block; returns its address.
     *
     * @throws AllocationFailedException if it cannot; the upload is as it was
     */
    long adopt(Upload upload) {
        ClientTransfers client = transfers;
        if (client == null) {
            throw new IllegalStateException("there are no uploads");
        }
        return client.adopt(upload);
    }

    void ok() {
        reply.status(OK);
    }

    void error(byte[] text) {
        statistics.error();
        reply.error(text);
    }

    void error(String text) {
        statistics.error();
        reply.error(text);
    }

    void emptyBulk() {
        reply.bulk(EMPTY);
    }

    void arityError() {
        error("ERR wrong number of arguments for '" + op.lowerName() + "' command");
    }

    void rangeError() {
        error(Errors.LONG_RANGE);
    }

    /** True if a reply of so many values is not sure to be too large; else replies with an error. */
    boolean isReplyCountAllowed(long count) {
        int maximum = Math.max(0, reply.room() - HEADERS) / ReplyDescriptor.VALUE_HEADER_LENGTH;
        if (count <= maximum) {
            return true;
        }
        error("ERR reply of " + count + " elements > maximum " + maximum);
        return false;
    }

    /** Throws if the reply has no room for this many bytes; goes before the first change of what replies afterwards. */
    void requireReplyRoom(long bytes) {
        reply.reserve(bytes);
    }

    void invalidExpireTime() {
        error("ERR invalid expire time in '" + op.lowerName() + "' command");
    }

    /** True if a string may grow to that length; else replies with an error. */
    boolean isStringAllowed(long length) {
        if (length <= context.maxValueLength()) {
            return true;
        }
        error(Errors.STRING_TOO_LONG);
        return false;
    }

    /** Whether keys and values of the request are as short as they have to be; replies an error if not. */
    boolean areLengthsAllowed(KvOp op) {
        for (int i = 0; i < request.argc(); i++) {
            if (!fits(request.argumentLength(i))) {
                return false;
            }
        }
        if (op.firstKey() >= 0) {
            for (int i = op.firstKey(); i <= op.lastKey(request.argc()); i += op.keyStep()) {
                if (request.argumentLength(i) > ShardContext.MAX_KEY_LENGTH) {
                    error("ERR key of " + request.argumentLength(i) + " bytes > maximum "
                            + ShardContext.MAX_KEY_LENGTH);
                    return false;
                }
            }
        }
        return true;
    }

    /** True if a value of that length may be stored; else replies with an error. */
    boolean fits(long length) {
        if (length <= context.maxValueLength()) {
            return true;
        }
        error("ERR value of " + length + " bytes > maximum " + context.maxValueLength());
        return false;
    }

    /** A range of bytes. */
    static final class View {
        UnsafeBuffer buffer;
        int offset;
        int length;

        private View(UnsafeBuffer empty) {
            buffer = empty;
        }

        private void set(UnsafeBuffer where, int at, int bytes) {
            buffer = where;
            offset = at;
            length = bytes;
        }
    }
}
