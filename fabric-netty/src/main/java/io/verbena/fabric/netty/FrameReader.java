package io.verbena.fabric.netty;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.PacketHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.varhandle.SpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a link: the loop's owner queues the buffers that came, the baton holder cuts packets out of
 * them where they lie; who is both reads from the socket when the queue is empty. Only a packet that is split between
 * buffers is put together in memory of its own.
 *
 * <p>Concurrency: {@link #offer} and {@link #isAbove} by the loop's owner; {@link #poll} and {@link #hasInbound} by the
 * baton holder; {@link #release} by anyone, which is why polling and releasing exclude each other by {@code busy}. The
 * queue is bounded by who fills it: the owner stops reading when {@link #isAbove} its limit.
 */
final class FrameReader {
    /** Buffers are counted with at least this much, so that many tiny ones are bounded too. */
    private static final int MIN_CHARGE = 512;

    /** Bytes read from the socket in a poll, beyond which it reads no more: others have their turn. */
    private static final int MAX_READ = 512 * 1024;

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
    private final Predicate<FrameReader> makesRoom;
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
    private boolean starved; // the fault is that there was no memory

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile boolean busy;

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile long released;

    /** When the frame began that is not yet whole though all that came was read; 0 if there is none. */
    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile long partialSince;

    /**
     * Creates a reader.
     *
     * @param maxPacket bytes of the largest packet
     * @param readBuffers where it has memory from
     * @param makesRoom asked for memory when there is none; says whether there may be some now
     * @param marks of the link
     */
    FrameReader(int maxPacket, ReadBuffers readBuffers, Predicate<FrameReader> makesRoom, Marks marks) {
        this.maxPacket = maxPacket;
        this.readBuffers = readBuffers;
        this.makesRoom = makesRoom;
        this.marks = marks;
    }

    /** Takes a received buffer; by the owner. */
    void offer(ByteBuf buffer) {
        int charge = charge(buffer);
        charged += charge;
        readBuffers.budget().take(charge);
        queue.offer(buffer);
    }

    /** Whether more than a number of bytes is queued, or any while memory is scarce; by the owner. */
    boolean isAbove(int limit) {
        long queued = charged - (long) RELEASED.getVolatile(this);
        return queued > limit || (queued > 0 && readBuffers.budget().isScarce());
    }

    private static int charge(ByteBuf buffer) {
        return Math.max(MIN_CHARGE, buffer.capacity());
    }

    boolean hasInbound() {
        return position < end || !queue.isEmpty();
    }

    /** What was wrong with the stream, or null; nothing is delivered after it. */
    @Nullable
    String fault() {
        return fault;
    }

    /** Whether the fault is that there was no memory for a frame in pieces. */
    boolean isStarved() {
        return starved;
    }

    /** When the frame began that is in pieces and has memory, or 0; by the baton holder. */
    long assemblingSince() {
        return assembled == 0 ? 0 : (long) PARTIAL_SINCE.getAcquire(this);
    }

    /** The frame in pieces is given up, and with it the connection: others need its memory. By the baton holder. */
    void starve() {
        starved = true;
        fail("frame unfinished while the " + readBuffers.budget().limit()
                + " bytes for receiving were used up; raise receiveBudget if so much is wanted");
        giveBackAssembly();
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
            if (assembled == 0) {
                giveBackAssembly();
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

    /**
     * Whether the rest of a packet can be read to where its beginning is: nothing that came another way lies between.
     */
    private boolean mayReadBehind() {
        return held != null && assembled == 0 && end - position < readBuffers.readLength() && queue.isEmpty();
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
            buffer = readBuffers.takeForRead();
            if (buffer == null) {
                return false;
            }
            held = buffer;
        }
        if (kept > 0 && position > 0) {
            buffer.putBytes(0, buffer, position, kept);
        }
        int room = readBuffers.readLength() - kept;
        int length = socket.read(buffer.addressOffset() + kept, room);
        ended |= length < 0;
        length = Math.max(length, 0);
        view.wrap(buffer, 0, kept + length);
        position = 0;
        end = kept + length;
        readInPoll += length;
        return length == room && readInPoll < MAX_READ; // a shorter one has emptied the socket
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
            readBuffers.giveBackRead(own);
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
            readBuffers.budget().giveBack(charge);
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
            starve();
            return 0;
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
     * Where a split frame is put together: with room for what has come of it, and not for what its header says that
     * will come, so that a peer uses no more memory here than it sends bytes. Grows to the largest frame, and is given
     * back with it.
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
        UnsafeBuffer grown = readBuffers.takeForFrame(needed);
        while (grown == null && makesRoom.test(this)) {
            grown = readBuffers.takeForFrame(needed);
        }
        if (grown != null && before != null) {
            grown.putBytes(0, before, 0, assembled);
            readBuffers.giveBackFrame(before);
        }
        if (grown != null) {
            assembly = grown;
        }
        return grown;
    }

    private void giveBackAssembly() {
        UnsafeBuffer frame = assembly;
        if (frame != null) {
            assembly = null;
            assembled = 0;
            readBuffers.giveBackFrame(frame);
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
            return marks.came() ? 0 : fail("more than " + Marks.MAX + " marks without an answer");
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
        UnsafeBuffer own = held;
        if (own != null) {
            held = null;
            position = 0;
            end = 0;
            readBuffers.giveBackRead(own);
        }
        giveBackAssembly();
        release(); // and who is releasing at this moment, or offers and releases then, does the same
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
