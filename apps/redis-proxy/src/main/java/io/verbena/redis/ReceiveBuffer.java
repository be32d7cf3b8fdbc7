package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection's bytes lie until they are executed. As a rule that is the worker's {@link ReadBuffer}, which all
 * its connections share: what is read is executed at once. Only what is left over, the beginning of a command or
 * commands that have to wait, moves to a buffer of the connection's own; the socket then reads behind it, so that a
 * large value is not copied again as it grows.
 *
 * <p>It is also the connection's receive allocator, which is how the socket is made to read there.
 *
 * <p>Not thread-safe: for the worker's thread.
 */
final class ReceiveBuffer implements RecvByteBufAllocator.ExtendedHandle {
    private static final int OWN_CAPACITY = 16 << 10;
    private static final int MIN_ROOM = 8 << 10;
    private static final int MAX_READS = 4;
    /** An announced length is believed up to this; beyond, the buffer doubles as bytes really come. */
    private static final int BELIEVED = 1 << 20;

    private final ReadBuffer shared;
    private final ByteBufAllocator allocator;
    private final UnsafeBuffer ownView = new UnsafeBuffer(0, 0);
    private @Nullable ByteBuf own;
    private boolean sharing;
    private int start;
    private int end;
    private int needed;

    private @Nullable ChannelConfig config;
    private int reads;
    private int lastRead;
    private int attempted;

    ReceiveBuffer(ReadBuffer shared, ByteBufAllocator allocator) {
        this.shared = shared;
        this.allocator = allocator;
    }

    /** Takes note of what the socket has read; returns the number of new bytes. */
    @SuppressWarnings("ReferenceEquality") // which buffer it is matters, not what is in it
    int received(ByteBuf buffer) {
        int before;
        if (buffer == own) {
            before = end;
        } else if (buffer == shared.buffer()) {
            shared.hold(this);
            sharing = true;
            start = 0;
            before = 0;
        } else {
            throw new IllegalStateException("read into a buffer that is not the connection's");
        }
        end = buffer.writerIndex();
        return end - before;
    }

    /** The buffer that holds the bytes from {@link #start()} to {@link #end()}. */
    UnsafeBuffer view() {
        return sharing ? shared.view() : ownView;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    boolean isEmpty() {
        return start == end;
    }

    /** Bytes that are not used. */
    int length() {
        return end - start;
    }

    /** Lets the first bytes go. */
    void consume(int length) {
        start += length;
    }

    /**
     * Keeps what is left beyond the end of this read: moves it out of the shared buffer.
     *
     * @param commandLength bytes that the command at {@link #start()} is known to need, 0 if unknown
     */
    void keepRest(int commandLength) {
        needed = commandLength;
        if (sharing) {
            int length = end - start;
            if (length > 0) {
                own = allocator.directBuffer(capacityFor(length));
                wrapOwn();
                ownView.putBytes(0, shared.view(), start, length);
                own.writerIndex(length);
            }
            sharing = false;
            shared.letGo(this);
            start = 0;
            end = length;
        } else if (start == end) {
            release();
        }
    }

    /** Throws everything away. */
    void release() {
        if (own != null) {
            own.release();
            own = null;
            ownView.wrap(0, 0);
        }
        sharing = false;
        shared.letGo(this);
        start = 0;
        end = 0;
    }

    /** Bytes of memory that it holds by itself. */
    int capacity() {
        return own == null ? 0 : own.capacity();
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator ignored) {
        if (own == null) {
            return shared.lend(this);
        }
        int length = end - start;
        ByteBuf old = own;
        // Worth moving only if little is left to move, or if there is no room.
        if (old.capacity() - end < MIN_ROOM || capacityFor(length) > old.capacity()) {
            ByteBuf larger = allocator.directBuffer(capacityFor(length));
            larger.writeBytes(old, start, length);
            old.release();
            own = larger;
            start = 0;
            end = length;
            wrapOwn();
        }
        return own.writerIndex(end).retain();
    }

    private int capacityFor(int length) {
        // Room for the command to its end, if it is not too far; one that is far is approached by doubling.
        long step = Math.max(OWN_CAPACITY, Math.min(Math.max(2L * length, BELIEVED), needed));
        return (int) Math.min(Integer.MAX_VALUE, Math.max((long) length + MIN_ROOM, step));
    }

    private void wrapOwn() {
        ByteBuf buffer = own;
        if (buffer != null) {
            ByteBuffer nio = buffer.internalNioBuffer(0, buffer.capacity());
            ownView.wrap(nio, nio.position(), buffer.capacity());
        }
    }

    @Override
    public int guess() {
        return shared.buffer().capacity();
    }

    @Override
    public void reset(ChannelConfig channelConfig) {
        config = channelConfig;
        reads = 0;
        lastRead = 0;
    }

    @Override
    public void incMessagesRead(int count) {
        reads += count;
    }

    @Override
    public void lastBytesRead(int bytes) {
        lastRead = bytes;
    }

    @Override
    public int lastBytesRead() {
        return lastRead;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        attempted = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attempted;
    }

    @Override
    public boolean continueReading() {
        // A read that did not fill the buffer has emptied the socket.
        return lastRead > 0 && lastRead == attempted && reads < MAX_READS && config != null && config.isAutoRead();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
        return continueReading();
    }

    @Override
    public void readComplete() {
        // Nothing to adapt: the buffer is shared.
    }
}
