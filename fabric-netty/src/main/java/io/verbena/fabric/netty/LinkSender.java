package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.verbena.nic.port.Link;
import java.lang.invoke.VarHandle;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a link: packets are written straight into send buffers, full or flushed buffers are sealed and go
 * to the loop's owner, who writes them to the socket, or to the channel where that has no such socket or is not done
 * with what came before. What the socket has not taken is bounded by a window.
 *
 * <p>Concurrency: {@link #claim}, {@link #commit}, {@link #tryWrite} and {@link #unsent} by the baton holder;
 * {@link #writeSealed} and {@link #released} by the loop's owner, {@link #write} by a thread that is both. Between them
 * lie two single-producer queues and the count of bytes taken.
 */
final class LinkSender {
    private static final MutableDirectBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    /** Bytes of a payload that are cheaper to send from where they lie than to copy. */
    private static final int MIN_GATHERED = 4 * 1024;

    /**
     * Bytes after which they are written before the turn ends: several of TCP's largest segments, for the rest of each
     * write goes out as a segment of its own.
     */
    private static final int GATHERED_PER_WRITE = 256 * 1024;

    private final Channel channel;
    private final @Nullable DirectSocket direct;
    private final boolean encrypted;
    private final Marks marks;
    private final Runnable onRoom; // run when an answer that waited for room may have it
    private final int maxPacket;
    private final int bufferLength;
    private final SpscVarHandleArrayQueue<SendBuffer> sealed;
    private final SendBufferPool buffers;
    private final UnsentBytes unsent;

    // Of the baton holder.
    private @Nullable SendBuffer current;
    private MutableDirectBuffer view = NOTHING;
    private int used;
    private int claimedLength;
    private int gatheredUpTo; // bytes of the buffer that are in the list
    private final GatherList gather = new GatherList();

    // Of the loop's owner.
    private int inChannel; // buffers that the channel has not done with

    // Written by the baton holder.
    private volatile boolean answerWaits;
    private volatile boolean released;

    LinkSender(
            int maxPacket,
            NettyFabricContext context,
            Channel channel,
            @Nullable DirectSocket direct,
            boolean encrypted,
            Marks marks,
            Runnable onRoom) {
        this.maxPacket = maxPacket;
        this.marks = marks;
        this.onRoom = onRoom;
        this.channel = channel;
        this.direct = direct;
        this.encrypted = encrypted;
        int largestFrame = FrameFlyweight.frameLength(maxPacket);
        int window = Math.max(context.sendWindow(), largestFrame);
        this.unsent = new UnsentBytes(window);
        this.bufferLength = Math.max(context.sendBufferLength(), largestFrame + FrameFlyweight.HEADER_LENGTH); // a mark
        // Buffers that are flushed early are not full: twice the window's worth of them.
        // And one that packets leave to marks and answers.
        int maxBuffers = Math.max(8, 2 * (window / bufferLength)) + 1;
        this.sealed = new SpscVarHandleArrayQueue<>(maxBuffers + 1);
        this.buffers = new SendBufferPool(channel, bufferLength, maxBuffers);
    }

    /** Bytes of the longest packet. */
    int maxPacket() {
        return maxPacket;
    }

    int claim(int length) {
        if (length < FrameFlyweight.MIN_PACKET || length > maxPacket) {
            throw new IllegalArgumentException(
                    "packet of " + length + " bytes, expected " + FrameFlyweight.MIN_PACKET + " to " + maxPacket);
        }
        int frameLength = FrameFlyweight.frameLength(length);
        if (unsent.isFull(frameLength)) {
            return Link.NO_ROOM;
        }
        if ((current == null || bufferLength - used < frameLength) && !nextBuffer()) {
            return Link.NO_ROOM;
        }
        FrameFlyweight.clearPadding(view, used, frameLength);
        claimedLength = length;
        gather.claim(0, 0);
        return used + FrameFlyweight.HEADER_LENGTH;
    }

    /**
     * Whether a payload may be sent from where it lies. It must be gone from there when the turn ends, so only a thread
     * that can write it then may leave it there, and only where a system call for each costs less than the copy.
     */
    boolean gathers(DirectBuffer payload, int length) {
        return direct != null
                && length >= MIN_GATHERED
                && payload.byteArray() == null
                && channel.eventLoop().inEventLoop();
    }

    /** Claims room for a packet whose payload is sent from where it lies, by an owner who holds the baton. */
    int claimGathered(int headerLength, DirectBuffer payload, int payloadOffset, int payloadLength) {
        int length = headerLength + payloadLength;
        if (length > maxPacket) {
            throw new IllegalArgumentException("packet of " + length + " bytes > maximum " + maxPacket);
        }
        int room = FrameFlyweight.HEADER_LENGTH + headerLength + 2 * Long.BYTES;
        if (!isEmptyChannel() || unsent.isFull(FrameFlyweight.frameLength(length))) {
            return Link.NO_ROOM; // also where there is room for a copy: the socket is behind
        }
        if (current != null && (bufferLength - used < room || gather.pieces() > GatherList.MAX_PIECES - 3)) {
            write();
            if (!isEmptyChannel()) {
                return Link.NO_ROOM;
            }
        }
        if (current == null && !nextBuffer()) {
            return Link.NO_ROOM;
        }
        claimedLength = length;
        gather.claim(payload.addressOffset() + payloadOffset, payloadLength);
        return used + FrameFlyweight.HEADER_LENGTH;
    }

    private boolean isEmptyChannel() {
        return inChannel == 0 && sealed.isEmpty();
    }

    private boolean nextBuffer() {
        if (current != null && direct != null && channel.eventLoop().inEventLoop()) {
            write(); // while it is in the cache
        } else if (current != null) {
            tryWrite();
        }
        return current != null || newBuffer(1);
    }

    /**
     * Begins another buffer.
     *
     * @param left buffers that must be left after that
     * @return whether there are so many
     */
    private boolean newBuffer(int left) {
        sealCurrent();
        SendBuffer next = buffers.take(this, left);
        if (next == null) {
            return false;
        }
        current = next;
        view = next.view();
        used = 0;
        return true;
    }

    MutableDirectBuffer buffer() {
        return view;
    }

    void commit() {
        int length = claimedLength;
        claimedLength = 0;
        if (length == 0) {
            throw new IllegalStateException("commit without a claim");
        }
        FrameFlyweight.encode(view, used, length);
        int gathered = gather.claimed();
        int frameLength = FrameFlyweight.frameLength(length);
        unsent.commit(frameLength);
        if (gathered > 0) {
            commitGathered(length - gathered, frameLength - FrameFlyweight.HEADER_LENGTH - length);
        } else {
            used += frameLength;
        }
        if (marks.isDue(unsent.committed())) {
            mark();
        }
    }

    // ---- marks -----------------------------------------------------------------------------------------------------

    /** Bytes committed that the peer has not said it has received; from this call on it is asked. */
    int ahead() {
        marks.want(unsent.committed());
        return (int) Math.min(Integer.MAX_VALUE, unsent.committed() - marks.received());
    }

    /** Asks now, if no answer is on its way. Returns whether there is something to flush for that. */
    boolean ask() {
        return marks.isEmpty() && hasRoomForControl() && mark();
    }

    /** Sends a mark behind what is committed, if the buffer has room for it; else one goes with a later packet. */
    private boolean mark() {
        if (bufferLength - used < FrameFlyweight.HEADER_LENGTH) {
            return false;
        }
        FrameFlyweight.encodeMark(view, used);
        addControl();
        marks.sent(unsent.committed());
        return true;
    }

    /** Whether an answer waited for room, and may have it now. */
    boolean mayAnswer() {
        return answerWaits && buffers.hasReturned();
    }

    /**
     * Answers the marks that have come. Where there is no room for that, the link is told when there may be.
     *
     * @return whether there is something to flush for that
     */
    boolean answer() {
        if (marks.owed() == 0) {
            return false;
        }
        if (!hasRoomForControl()) {
            answerWaits = true;
            if (!buffers.hasReturned() || !hasRoomForControl()) { // one may have come back before that was seen
                return false;
            }
        }
        answerWaits = false;
        FrameFlyweight.encodeAnswer(view, used, marks.owed());
        addControl();
        marks.settle();
        return true;
    }

    private void addControl() {
        used += FrameFlyweight.HEADER_LENGTH;
        unsent.commit(FrameFlyweight.HEADER_LENGTH);
    }

    /** Room for a frame without a packet: beyond the window there is a buffer for those. */
    private boolean hasRoomForControl() {
        if (current != null && bufferLength - used >= FrameFlyweight.HEADER_LENGTH) {
            return true;
        }
        return (current != null && nextBuffer()) || newBuffer(0);
    }

    /** The payload goes between what is in the buffer and the padding, which ends where the next frame may begin. */
    private void commitGathered(int headers, int padding) {
        SendBuffer buffer = current;
        if (buffer == null) {
            throw new IllegalStateException("commit without a buffer");
        }
        int end = used + FrameFlyweight.HEADER_LENGTH + headers;
        gather.add(buffer.address() + gatheredUpTo, end - gatheredUpTo);
        gather.addClaimed();
        used = BitUtil.align(end, Long.BYTES) + Long.BYTES;
        view.putLong(used - Long.BYTES, 0L);
        gatheredUpTo = used - padding;
        if (gather.length() >= GATHERED_PER_WRITE) {
            write();
        }
    }

    /** Passes the buffer that is being written on to the owner, if there is anything in it. */
    private void seal() {
        if (gather.pieces() > 0) {
            throw new IllegalStateException(gather.pieces() + " payloads have not been written in their turn");
        }
        sealCurrent();
    }

    private void sealCurrent() {
        SendBuffer buffer = current;
        if (buffer != null && used > 0) {
            buffer.seal(used);
            current = null;
            used = 0;
            sealed.offer(buffer); // there is room for all buffers that exist
        }
    }

    /** Whether the owner has buffers to write. */
    boolean hasSealed() {
        return !sealed.isEmpty();
    }

    /** Bytes committed that the socket has not taken. */
    int unsent() {
        return unsent.count();
    }

    /** Seals and writes all that was committed, by an owner who holds the baton; the usual message passes no queue. */
    void write() {
        if (direct != null && inChannel == 0) {
            writeSealed(); // what others left
            SendBuffer buffer = current;
            if (gather.pieces() > 0) {
                writeGathered();
                return;
            }
            if (buffer != null && used > 0 && inChannel == 0) {
                if (isWritten(buffer, direct.write(buffer.address(), 0, used))) {
                    return;
                }
            }
        }
        seal();
        writeSealed();
    }

    /**
     * Writes all that was committed, by a baton holder who is not the owner, if nothing that came before is still to be
     * written; otherwise seals it.
     */
    void tryWrite() {
        SendBuffer buffer = current;
        if (direct != null && buffer != null && used > 0 && unsent.count() == used) { // so the owner writes nothing
            if (isWritten(buffer, direct.tryWrite(buffer.address(), 0, used))) {
                return;
            }
        }
        seal();
    }

    /** The socket has taken so many bytes of the current buffer. @return whether these are all: it is empty again */
    private boolean isWritten(SendBuffer buffer, int written) {
        if (written < used) {
            buffer.written(written);
            return false;
        }
        unsent.take(used);
        used = 0;
        return true;
    }

    private void writeGathered() {
        SendBuffer buffer = current;
        DirectSocket socket = direct;
        if (buffer == null || socket == null) {
            throw new IllegalStateException("payloads without a buffer");
        }
        gather.add(buffer.address() + gatheredUpTo, used - gatheredUpTo);
        long written = socket.write(gather.address(), gather.pieces());
        unsent.take(written);
        if (written < gather.length()) {
            copyFrom(written);
        }
        gather.clear();
        gatheredUpTo = 0;
        used = 0;
        if (!sealed.isEmpty()) {
            writeSealed();
        }
    }

    /** Copies what the socket has not taken, and seals it; the buffer of the headers stays what it is. */
    private void copyFrom(long written) {
        long skip = written;
        SendBuffer headers = current;
        current = null;
        for (int i = 0; i < gather.pieces(); i++) {
            UnsafeBuffer piece = gather.piece(i);
            int from = (int) Math.min(skip, piece.capacity());
            skip -= from;
            while (from < piece.capacity()) {
                if ((current == null || used == bufferLength) && !newBuffer(0)) {
                    throw new IllegalStateException("more unsent than the window of " + unsent.window() + " bytes");
                }
                int bytes = Math.min(piece.capacity() - from, bufferLength - used);
                view.putBytes(used, piece, from, bytes);
                used += bytes;
                from += bytes;
            }
        }
        sealCurrent();
        current = headers;
        if (headers != null) {
            view = headers.view();
        }
    }

    /**
     * Writes what is sealed, in order; by the owner. To the socket for as long as that takes all of it, the rest to the
     * channel, which goes on when the socket has room.
     */
    void writeSealed() {
        SendBuffer buffer = sealed.poll();
        if (buffer == null) {
            return;
        }
        do {
            if (direct != null && inChannel == 0 && buffer.writeTo(direct)) {
                taken(buffer);
            } else {
                inChannel++;
                writeTo(channel, buffer);
            }
            buffer = sealed.poll();
        } while (buffer != null);
        if (inChannel > 0) {
            channel.flush();
        }
    }

    private void writeTo(Channel to, SendBuffer buffer) {
        if (encrypted) {
            buffer.retain(); // it is released once it is encrypted, which is not yet taken
            to.write(buffer, to.newPromise().addListener(buffer));
        } else {
            to.write(buffer, to.voidPromise());
        }
    }

    /** The channel has done with a buffer: the socket has taken it, or it never will; by the owner. */
    void released(SendBuffer buffer) {
        inChannel--;
        taken(buffer);
    }

    private void taken(SendBuffer buffer) {
        int bytes = buffer.sealed();
        buffers.giveBack(buffer);
        unsent.take(bytes); // who sees this sees the buffer
        VarHandle.fullFence(); // the buffer first, then the look at who waits for it
        if (answerWaits) {
            onRoom.run();
        }
        if (released) {
            buffers.freeReturned();
        }
    }

    /**
     * Nothing is sent any more: buffers go as they come back. Under the baton, once; the channel is closed, so that
     * those it has come back too.
     */
    void release() {
        released = true;
        SendBuffer buffer = current;
        current = null;
        view = NOTHING;
        if (buffer != null) {
            buffer.free();
        }
        gather.release();
        VarHandle.fullFence(); // what has come back before that was seen goes here
        buffers.freeReturned();
    }
}
