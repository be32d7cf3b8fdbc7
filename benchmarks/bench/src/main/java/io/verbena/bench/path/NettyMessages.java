package io.verbena.bench.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.ReferenceCountUtil;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages to a Netty channel: a short one into a buffer of its own from the channel's pool, as Netty's encoders
 * do, or behind the others of its batch in one buffer; of a long one only the number is written, into one of a few
 * buffers that hold the rest already and are free again when the socket has taken them, so that nothing is copied on
 * the way there. With framing a message stands behind its length, in the same buffer. For the channel's thread.
 */
final class NettyMessages {
    /** Bytes before a framed message: its length, big-endian as Netty's own codecs have it by default. */
    static final int HEADER = Integer.BYTES;

    private static final int LONG = 4096;
    private static final int MEMORY = 1 << 20;
    private static final int BATCH = 16 << 10;
    private static final int MIN_SLOTS = 4;
    private static final int MAX_SLOTS = 64;

    private final Channel channel;
    private final int length;
    private final int header;
    private final boolean batches;
    private final ByteBuf[] slots;
    private int next;
    private @Nullable ByteBuf batch;

    NettyMessages(Channel channel, int length, boolean framed, boolean batches) {
        this.channel = channel;
        this.length = length;
        this.batches = batches;
        this.header = framed ? HEADER : 0;
        int count = length < LONG ? 0 : Math.max(MIN_SLOTS, Math.min(MAX_SLOTS, MEMORY / length));
        slots = new ByteBuf[Integer.highestOneBit(count)];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = Unpooled.directBuffer(BitUtil.align(header + length, BitUtil.CACHE_LINE_LENGTH));
            slots[i].writeZero(header + length);
            if (framed) {
                slots[i].setInt(0, length);
            }
        }
    }

    /** Whether a message can be written now. */
    boolean hasRoom() {
        return slots.length == 0 || slots[next].refCnt() == 1;
    }

    /** Writes a message, without a flush; if there is no room, into a new buffer, whose memory is written anew. */
    void write(long number) {
        if (batches && slots.length == 0) {
            append(number);
        } else if (slots.length > 0 && hasRoom()) {
            ByteBuf slot = slots[next];
            next = next + 1 & slots.length - 1;
            slot.setLongLE(header, number);
            slot.setLongLE(header + length - Long.BYTES, number);
            channel.write(slot.retainedDuplicate(), channel.voidPromise());
        } else {
            channel.write(compose(channel.alloc().directBuffer(header + length), number), channel.voidPromise());
        }
    }

    private void append(long number) {
        ByteBuf into = batch;
        if (into != null && into.writableBytes() < header + length) {
            channel.write(into, channel.voidPromise());
            into = null;
        }
        if (into == null) {
            into = channel.alloc().directBuffer(Math.max(BATCH, header + length), Math.max(BATCH, header + length));
            batch = into;
        }
        compose(into, number);
    }

    private ByteBuf compose(ByteBuf buffer, long number) {
        if (header > 0) {
            buffer.writeInt(length);
        }
        buffer.writeLongLE(number);
        if (length >= Stamp.BOTH) {
            buffer.writeZero(length - Stamp.BOTH).writeLongLE(number);
        } else {
            buffer.writeZero(length - Long.BYTES);
        }
        return buffer;
    }

    /** Sends what was written. */
    void flush() {
        ByteBuf last = batch;
        if (last != null) {
            batch = null;
            channel.write(last, channel.voidPromise());
        }
        channel.flush();
    }

    /** Frees the buffers; those that are still under way go with their channel. */
    void close() {
        ReferenceCountUtil.release(batch);
        for (ByteBuf each : slots) {
            ReferenceCountUtil.release(each);
        }
    }
}
