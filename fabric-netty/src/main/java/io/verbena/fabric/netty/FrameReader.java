package io.verbena.fabric.netty;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.varhandle.SpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a link: the loop's owner queues the buffers that came, the baton holder cuts packets out of them
 * where they lie; who is both reads from the socket when the queue is empty. Only a packet that is split between buffers
 * is put together in memory of its own.
 *
 * <p>Concurrency: {@link #offer} and {@link #isAbove} by the loop's owner; {@link #poll} and {@link #hasInbound} by the
 * baton holder; {@link #release} by anyone, which is why polling and releasing exclude each other by {@code busy}. The
 * queue is bounded by who fills it: the owner stops reading when {@link #isAbove} its limit.
 */
final class FrameReader {
    /** Buffers are counted with at least this much, so that many tiny ones are bounded too. */
    private static final int LEAST_CHARGE = 512;

    /** Bytes of the smallest buffer that a split frame is put together in. */
    private static final int LEAST_ASSEMBLY = 1024;

    /** Bytes read from the socket in a poll, beyond which it reads no more: others have their turn. */
    private static final int MOST_READ = 512 * 1024;

    private static final VarHandle BUSY;
    private static final VarHandle RELEASED;
    private static final VarHandle PARTIAL_SINCE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            BUSY = lookup.findVarHandle(FrameReader.class, "busy", boolean.class);
            RELEASED = lookup.findVarHandle(FrameReader.class, "released", long.class);
            PARTIAL_SINCE = lookup.findVarHandle(FrameReader.class, "partialSince", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int maxPacket;
    private final SpscUnboundedVarHandleArrayQueue<ByteBuf> queue = new SpscUnboundedVarHandleArrayQueue<>(256);
    private final UnsafeBuffer view = new UnsafeBuffer(new byte[0]);
    private final ReadBuffers readBuffers;
    private final Marks marks;

    // Of the loop's owner.
    private long charged;

    // Of the baton holder.
    private @Nullable ByteBuf current;
    private int position;
    private int end;
    private @Nullable UnsafeBuffer held; // read into by this link itself, instead of current
    private int readInPoll;
    private boolean ended;
    private @Nullable UnsafeBuffer assembly;
    private int assembled;
    private @Nullable String fault;

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile boolean busy;

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile long released;

    /** When the frame began that is not yet whole though all that came was read; 0 if there is none. */
    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile long partialSince;

    FrameReader(int maxPacket, ReadBuffers readBuffers, Marks marks) {
        this.maxPacket = maxPacket;
        this.readBuffers = readBuffers;
        this.marks = marks;
    }

    /** Takes a received buffer; by the owner. */
    void offer(ByteBuf buffer) {
        charged += charge(buffer);
        queue.offer(buffer);
    }

    /** Whether more than a number of bytes is queued; by the owner. */
    boolean isAbove(int limit) {
        return charged - (long) RELEASED.getVolatile(this) > limit;
    }

    private static int charge(ByteBuf buffer) {
        return Math.max(LEAST_CHARGE, buffer.capacity());
    }

    boolean hasInbound() {
        return position < end || !queue.isEmpty();
    }

    /** What was wrong with the stream, or null; nothing is delivered after it. */
    @Nullable
    String fault() {
        return fault;
    }

    /** Nanoseconds for which a frame has been incomplete with nothing left to read, or 0; by the owner. */
    long partialFor(long now) {
        long since = (long) PARTIAL_SINCE.getAcquire(this);
        return since != 0 && queue.isEmpty() ? now - since : 0;
    }

    /**
     * Delivers packets.
     *
     * @param socket to read from when all that was queued is delivered, by the loop's owner; or null
     */
    int poll(Link link, PacketHandler handler, int limit, @Nullable DirectSocket socket) {
        if (!BUSY.compareAndSet(this, false, true)) {
            return 0;
        }
        int delivered = 0;
        boolean more = socket != null;
        readInPoll = 0;
        try {
            while (delivered < limit && fault == null) {
                if (position == end && !nextBuffer()) {
                    if (socket == null || !more) {
                        break;
                    }
                    more = read(socket, 0);
                    if (end == 0) {
                        break;
                    }
                }
                if (more && mayReadBehind() && !holdsFrame()) {
                    more = read(requireNonNull(socket), end - position);
                    continue;
                }
                delivered += assembled > 0 || !holdsFrame() ? assemble(link, handler) : deliver(link, handler);
            }
            if (position == end) {
                releaseCurrent();
            }
        } finally {
            BUSY.setVolatile(this, false);
        }
        return delivered;
    }

    private boolean nextBuffer() {
        releaseCurrent();
        return nextQueued();
    }

    private boolean nextQueued() {
        ByteBuf next = queue.poll();
        if (next == null) {
            return false;
        }
        current = next;
        int length = next.readableBytes();
        if (next.hasMemoryAddress()) {
            view.wrap(next.memoryAddress() + next.readerIndex(), length);
        } else {
            view.wrap(next.nioBuffer(next.readerIndex(), length));
        }
        position = 0;
        end = length;
        return true;
    }

    /** Whether the rest of a packet can be read to where its beginning is: nothing that came another way lies between. */
    private boolean mayReadBehind() {
        return held != null && assembled == 0 && end - position < readBuffers.length() && queue.isEmpty();
    }

    /**
     * Reads from the socket, behind all that was queued.
     *
     * @param kept bytes at the end of what was read last, the beginning of a packet, that the new ones follow
     * @return whether there may be more to read
     */
    private boolean read(DirectSocket socket, int kept) {
        UnsafeBuffer buffer = held;
        if (buffer == null) {
            buffer = readBuffers.take();
            held = buffer;
        }
        if (kept > 0 && position > 0) {
            buffer.putBytes(0, buffer, position, kept);
        }
        int room = readBuffers.length() - kept;
        int length = socket.read(buffer.addressOffset() + kept, room);
        ended |= length < 0;
        length = Math.max(length, 0);
        view.wrap(buffer, 0, kept + length);
        position = 0;
        end = kept + length;
        readInPoll += length;
        return length == room && readInPoll < MOST_READ; // a shorter one has emptied the socket
    }

    /** Whether the socket said that there will be no more. */
    boolean hasEnded() {
        return ended;
    }

    private void releaseCurrent() {
        UnsafeBuffer own = held;
        if (own != null) {
            held = null;
            position = 0;
            end = 0;
            readBuffers.giveBack(own);
            return;
        }
        releaseQueued();
    }

    private void releaseQueued() {
        ByteBuf buffer = current;
        if (buffer != null) {
            current = null;
            position = 0;
            end = 0;
            int charge = charge(buffer);
            buffer.release();
            RELEASED.setVolatile(this, (long) RELEASED.getOpaque(this) + charge);
        }
    }

    /** Whether a whole frame lies in the current buffer, or a header that no packet follows. */
    private boolean holdsFrame() {
        int available = end - position;
        if (available < FrameFlyweight.HEADER_LENGTH) {
            return false;
        }
        int length = FrameFlyweight.packetLength(FrameFlyweight.header(view, position), maxPacket);
        return length < 0 || FrameFlyweight.frameLength(length) <= available;
    }

    private int deliver(Link link, PacketHandler handler) {
        int frame = position;
        int length = FrameFlyweight.packetLength(FrameFlyweight.header(view, frame), maxPacket);
        if (length < 0) {
            position += FrameFlyweight.HEADER_LENGTH;
            return control(FrameFlyweight.header(view, frame));
        }
        int packet = frame + FrameFlyweight.HEADER_LENGTH;
        int frameEnd = frame + FrameFlyweight.frameLength(length);
        String defect = FrameFlyweight.paddingDefect(view, packet + length, frameEnd);
        if (defect != null) {
            return fail(defect);
        }
        position = frameEnd;
        handler.onPacket(link, view, packet, length);
        return 1;
    }

    /** Moves bytes of a split frame from the current buffer; delivers it when it is whole. */
    private int assemble(Link link, PacketHandler handler) {
        UnsafeBuffer frame = room();
        if (frame == null) {
            return fail("no memory left for a frame in pieces");
        }
        if (assembled == 0) {
            PARTIAL_SINCE.setRelease(this, System.nanoTime() | 1);
        }
        if (assembled < FrameFlyweight.HEADER_LENGTH && !moveUpTo(frame, FrameFlyweight.HEADER_LENGTH)) {
            return 0;
        }
        int length = FrameFlyweight.packetLength(FrameFlyweight.header(frame, 0), maxPacket);
        if (length < 0) {
            assembled = 0;
            PARTIAL_SINCE.setRelease(this, 0L);
            return control(FrameFlyweight.header(frame, 0));
        }
        int frameLength = FrameFlyweight.frameLength(length);
        if (!moveUpTo(frame, frameLength)) {
            return 0;
        }
        String defect = FrameFlyweight.paddingDefect(frame, FrameFlyweight.HEADER_LENGTH + length, frameLength);
        if (defect != null) {
            return fail(defect);
        }
        assembled = 0;
        PARTIAL_SINCE.setRelease(this, 0L);
        handler.onPacket(link, frame, FrameFlyweight.HEADER_LENGTH, length);
        return 1;
    }

    /**
     * Where a split frame is put together: with room for what has come of it, and not for what its header says that will come,
     * so that a peer uses no more memory here than it sends bytes. Grows to the largest frame, and stays.
     *
     * @return null if there is no memory
     */
    private @Nullable UnsafeBuffer room() {
        UnsafeBuffer before = assembly;
        int largest = FrameFlyweight.frameLength(maxPacket);
        int needed = (int) Math.min(largest, (long) assembled + (end - position));
        if (before != null && before.capacity() >= needed) {
            return before;
        }
        int length = Math.min(largest, Math.max(LEAST_ASSEMBLY, BitUtil.findNextPositivePowerOfTwo(needed)));
        ByteBuffer memory;
        try {
            memory = ByteBuffer.allocateDirect(length);
        } catch (OutOfMemoryError e) { // of direct memory: what a peer can bring about ends its own connection
            return null;
        }
        UnsafeBuffer grown = new UnsafeBuffer(memory);
        if (before != null) {
            grown.putBytes(0, before, 0, assembled);
            free(before);
        }
        assembly = grown;
        return grown;
    }

    private static void free(UnsafeBuffer buffer) {
        ByteBuffer memory = buffer.byteBuffer();
        buffer.wrap(0, 0);
        if (memory != null) {
            BufferUtil.free(memory);
        }
    }

    private boolean moveUpTo(UnsafeBuffer frame, int target) {
        int length = Math.min(target - assembled, end - position);
        frame.putBytes(assembled, view, position, length);
        assembled += length;
        position += length;
        return assembled == target;
    }

    /** Takes a header that is all of its frame, or no header. */
    private int control(long header) {
        int answered = FrameFlyweight.marksAnswered(header);
        if (answered > 0) {
            return marks.answered(answered)
                    ? 0
                    : fail("frame that answers " + answered + " marks, more than were sent");
        }
        if (FrameFlyweight.isMark(header)) {
            return marks.came() ? 0 : fail("more than " + Marks.MOST + " marks without an answer");
        }
        return fail(FrameFlyweight.defect(header, maxPacket));
    }

    private int fail(String reason) {
        fault = reason;
        PARTIAL_SINCE.setRelease(this, 0L);
        return 0;
    }

    /** Gives everything back; by the baton holder, who does not poll any more. */
    void free() {
        if (!BUSY.compareAndSet(this, false, true)) {
            return; // somebody is releasing: the rest is left to the collector
        }
        try {
            UnsafeBuffer own = held;
            held = null;
            if (own != null) {
                readBuffers.giveBack(own);
            }
            discard();
            UnsafeBuffer frame = assembly;
            assembly = null;
            if (frame != null) {
                free(frame);
            }
        } finally {
            BUSY.setVolatile(this, false); // for what the owner is offering at this moment, and releases then
        }
    }

    /** Releases all that is queued, if nobody polls right now; any thread. Nothing may be offered for good after it. */
    void release() {
        if (BUSY.compareAndSet(this, false, true)) {
            try {
                discard();
            } finally {
                BUSY.setVolatile(this, false);
            }
        }
    }

    /** Drops what is queued and current; a buffer that is read into is not this thread's to give back. */
    private void discard() {
        do {
            position = end;
            releaseQueued();
        } while (nextQueued());
    }
}
