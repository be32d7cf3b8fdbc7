package io.verbena.redis;

import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.redis.command.Command;
import io.verbena.redis.resp.RespWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A command that several shards answer: its parts on the way out, and its reply as it comes together. One part a shard.
 *
 * <p>If a part fails, the first error is the command's reply; the other parts have been done all the same, as with a
 * Redis cluster's clients. Reused by its {@link Dispatcher}, on one worker's thread.
 */
final class FanOut {
    private final WriterPool pool;
    private final ReplyTranscoder transcoder;
    private final int[] partKeys;
    private final int[] partLength;
    private final @Nullable RespWriter[] elements;
    private int[] keyShard = new int[16];
    private int[] elementOffset = new int[16];
    private int[] elementLength = new int[16];

    private @Nullable ClientConnection connection;
    private @Nullable Command command;
    private long slot;
    private int keys;
    private int nextPart;
    private int awaited;
    private long sum;
    private int joined;
    private @Nullable RespWriter error;

    FanOut(int shards, WriterPool pool, ReplyTranscoder transcoder) {
        this.pool = pool;
        this.transcoder = transcoder;
        this.partKeys = new int[shards];
        this.partLength = new int[shards];
        this.elements = new RespWriter[shards];
    }

    /** Begins anew. Parts are added by {@link #addKey} or {@link #addAll}. */
    void begin(ClientConnection owner, Command executed, long replySlot) {
        connection = owner;
        command = executed;
        slot = replySlot;
        Arrays.fill(partKeys, 0);
        Arrays.fill(partLength, 0);
        keys = 0;
        nextPart = 0;
        awaited = 0;
        sum = 0;
        joined = 0;
    }

    /** Gives the next key, and what belongs to it, to a shard. */
    void addKey(int shard, int argumentsLength) {
        if (keys == keyShard.length) {
            keyShard = Arrays.copyOf(keyShard, keys * 2);
            elementOffset = Arrays.copyOf(elementOffset, keys * 2);
            elementLength = Arrays.copyOf(elementLength, keys * 2);
        }
        keyShard[keys++] = shard;
        if (partKeys[shard]++ == 0) {
            awaited++;
            partLength[shard] = RequestDescriptor.HEADER_LENGTH;
        }
        partLength[shard] += argumentsLength;
    }

    /** Gives the whole command to every shard. */
    void addAll(int requestLength) {
        Arrays.fill(partKeys, 1);
        Arrays.fill(partLength, requestLength);
        awaited = partKeys.length;
    }

    /** The next part to send, or -1 if all are sent. */
    int nextPart() {
        while (nextPart < partKeys.length && partKeys[nextPart] == 0) {
            nextPart++;
        }
        return nextPart < partKeys.length ? nextPart : -1;
    }

    /** The part of {@link #nextPart()} is sent. */
    void sent() {
        nextPart++;
    }

    int partLength(int part) {
        return partLength[part];
    }

    /** Keys in the order of the command. */
    int keys() {
        return keys;
    }

    int shardOfKey(int key) {
        return keyShard[key];
    }

    ClientConnection connection() {
        return require(connection);
    }

    Command command() {
        return require(command);
    }

    long slot() {
        return slot;
    }

    /** The store's reply for a part, with the cursor at its root; true if it was the last. */
    boolean onReply(int part, ReplyCursor cursor, int protocol) {
        if (cursor.type() == ReplyType.ERROR) {
            if (error == null) {
                RespWriter writer = pool.acquire(protocol);
                transcoder.write(cursor, writer);
                error = writer;
            }
        } else {
            merge(part, cursor, protocol);
        }
        return --awaited == 0;
    }

    /** A part's reply is not available, or cannot be read. */
    boolean onFailed(int protocol, String text) {
        if (error == null) {
            RespWriter writer = pool.acquire(protocol);
            writer.error(text);
            error = writer;
        }
        return --awaited == 0;
    }

    /** A part is answered, but nobody waits for the whole any more. */
    boolean onOrphan() {
        return --awaited == 0;
    }

    /** Parts that are not sent will not be; true if no other is awaited. */
    boolean abandonUnsent() {
        for (int part = nextPart(); part >= 0; part = nextPart()) {
            awaited--;
            sent();
        }
        return awaited == 0;
    }

    private void merge(int part, ReplyCursor cursor, int protocol) {
        switch (command().split()) {
            case KEYS_SUM:
            case ALL_SUM:
                sum += cursor.integer();
                break;
            case KEYS_ARRAY: {
                RespWriter writer = pool.acquire(protocol);
                elements[part] = writer;
                int key = 0;
                for (int left = cursor.count(); left > 0 && cursor.next(); left--) {
                    while (keyShard[key] != part) {
                        key++;
                    }
                    elementOffset[key] = writer.length();
                    transcoder.write(cursor, writer);
                    elementLength[key] = writer.length() - elementOffset[key];
                    key++;
                }
                break;
            }
            case ALL_ARRAY: {
                RespWriter writer = pool.acquire(protocol);
                elements[part] = writer;
                joined += cursor.count();
                for (int left = cursor.count(); left > 0 && cursor.next(); left--) {
                    transcoder.write(cursor, writer);
                }
                break;
            }
            case ANY:
                if (cursor.type() != ReplyType.NIL) {
                    RespWriter writer = pool.acquire(protocol);
                    elements[part] = writer;
                    transcoder.write(cursor, writer);
                    joined++;
                }
                break;
            default:
                // All say OK.
                break;
        }
    }

    /** Writes the reply of the whole command. */
    void write(RespWriter out, int choice) {
        RespWriter failure = error;
        if (failure != null) {
            out.raw(failure);
            return;
        }
        switch (command().split()) {
            case KEYS_SUM:
            case ALL_SUM:
                out.integer(sum);
                break;
            case KEYS_ARRAY:
                out.array(keys);
                for (int key = 0; key < keys; key++) {
                    out.raw(require(elements[keyShard[key]]), elementOffset[key], elementLength[key]);
                }
                break;
            case ALL_ARRAY:
                out.array(joined);
                for (RespWriter writer : elements) {
                    if (writer != null) {
                        out.raw(writer);
                    }
                }
                break;
            case ANY:
                writeAny(out, choice);
                break;
            default:
                out.ok();
                break;
        }
    }

    private void writeAny(RespWriter out, int choice) {
        if (joined == 0) {
            out.nil();
            return;
        }
        int left = Math.floorMod(choice, joined);
        for (RespWriter writer : elements) {
            if (writer != null && left-- == 0) {
                out.raw(writer);
            }
        }
    }

    boolean isError() {
        return error != null;
    }

    /** Sum of the integers that the parts answered. */
    long sum() {
        return sum;
    }

    /** Lets go of everything. */
    void end() {
        for (int i = 0; i < elements.length; i++) {
            RespWriter writer = elements[i];
            if (writer != null) {
                pool.release(writer);
                elements[i] = null;
            }
        }
        if (error != null) {
            pool.release(error);
            error = null;
        }
        connection = null;
        command = null;
    }

    private static <T> T require(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a fan-out was used before it began or after it ended");
        }
        return value;
    }
}
