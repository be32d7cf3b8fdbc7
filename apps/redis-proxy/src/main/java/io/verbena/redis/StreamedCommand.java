package io.verbena.redis;

import io.verbena.redis.resp.RespParser;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * A command with a large value that goes to its shard while it is received. The arguments before the value are copied
 * here when the value begins, those behind it when the command is complete; of the value itself there is only the
 * number under which the shard has it. For one worker's thread.
 */
final class StreamedCommand {
    private final int shard;
    private final long uploadId;
    private final int total;
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private int[] offsets = new int[8];
    private int[] lengths = new int[8];
    private int count;
    private int end;
    private int index;
    private int sent;
    private boolean used;

    StreamedCommand(int shard, long uploadId, int total, Arguments before) {
        this.shard = shard;
        this.uploadId = uploadId;
        this.total = total;
        for (int i = 0; i < before.count(); i++) {
            add(before.buffer(), before.offset(i), before.length(i));
        }
        index = count;
        add(buffer, 0, 0);
    }

    /** The command is complete: takes what stands behind the value, at which the parser has left an empty argument. */
    void complete(DirectBuffer source, int offset, RespParser parser) {
        for (int i = 1; i < parser.argumentCount(); i++) {
            add(source, offset + parser.argumentOffset(i), parser.argumentLength(i));
        }
    }

    private void add(DirectBuffer source, int offset, int length) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        buffer.putBytes(end, source, offset, length);
        offsets[count] = end;
        lengths[count++] = length;
        end += length;
    }

    int shard() {
        return shard;
    }

    long uploadId() {
        return uploadId;
    }

    /** Bytes of the value. */
    int total() {
        return total;
    }

    /** Bytes of the value that are at the shard. */
    int sent() {
        return sent;
    }

    void sent(int bytes) {
        sent += bytes;
    }

    int left() {
        return total - sent;
    }

    /** The upload is named by a request: the shard lets go of it. */
    void use() {
        used = true;
    }

    boolean isUsed() {
        return used;
    }

    /** Which argument the value is. */
    int index() {
        return index;
    }

    int count() {
        return count;
    }

    DirectBuffer buffer() {
        return buffer;
    }

    int offset(int argument) {
        return offsets[argument];
    }

    int length(int argument) {
        return lengths[argument];
    }
}
