package io.verbena.bench.path;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.verbena.verification.RunException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a stream into messages of a known length, or of the length that stands before each. Nothing is copied or
 * gathered: what was received is looked at where it lies, and a message that comes in pieces is remembered by its
 * number and position. For the channel's thread.
 */
final class NettyCutter extends ChannelInboundHandlerAdapter {
    private final int length;
    private final int header;
    private final LongConsumer messages;
    private int position; // in the message that is under way, its header included
    private long word; // the last 8 bytes, while a number or a length comes in pieces
    private long head;
    private @Nullable Throwable failure;

    NettyCutter(int length, boolean framed, LongConsumer messages) {
        this.length = length;
        this.header = framed ? NettyMessages.HEADER : 0;
        this.messages = messages;
    }

    /** What went wrong, if anything. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            int unit = header + length;
            while (in.isReadable()) {
                if (position == 0 && in.readableBytes() >= unit) {
                    whole(in, in.readerIndex());
                    in.skipBytes(unit);
                } else {
                    piece(in, unit);
                }
            }
        } finally {
            in.release();
        }
    }

    private void whole(ByteBuf in, int at) {
        if (header > 0) {
            Stamp.checkLength(in.getInt(at), length);
        }
        long number = in.getLongLE(at + header);
        if (length >= Stamp.BOTH) {
            Stamp.check(number, in.getLongLE(at + header + length - Long.BYTES));
        }
        messages.accept(number);
    }

    /** Goes byte by byte where a length or a number stands, and skips what is between. */
    private void piece(ByteBuf in, int unit) {
        int afterHead = header + Long.BYTES;
        int tail = unit - Long.BYTES;
        if (position >= afterHead && position < tail) {
            int skipped = Math.min(in.readableBytes(), tail - position);
            in.skipBytes(skipped);
            position += skipped;
            return;
        }
        word = (word >>> Byte.SIZE) | ((long) in.readByte() << (Long.SIZE - Byte.SIZE));
        position++;
        if (position == header) {
            Stamp.checkLength(Integer.reverseBytes((int) (word >>> Integer.SIZE)), length);
        } else if (position == afterHead) {
            head = word;
        }
        if (position == unit) {
            position = 0;
            Stamp.check(head, length >= Stamp.BOTH ? word : head);
            messages.accept(head);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (failure == null) {
            failure = new RunException("the connection over Netty is closed");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure = cause;
        context.close();
    }
}
