package io.verbena.nic.transport;

import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.WcOpcode;
import org.agrona.concurrent.UnsafeBuffer;

/** A work request of a test's, signaled unless it says otherwise. */
final class Wr {
    private final WcOpcode opcode;
    private final long id;
    private final UnsafeBuffer data = new UnsafeBuffer(new byte[1024]);
    private int flags = SendWqeDescriptor.SIGNALED;
    private int entries;
    private int length;
    private int immediate;
    private int messageLength; // of a part
    private int remoteKey;
    private long remoteOffset;
    private long third; // swap or add, address and queue pair, region of a window
    private long fourth; // compare, Q_Key, length of a window

    private Wr(WcOpcode opcode, long id) {
        this.opcode = opcode;
        this.id = id;
    }

    static Wr send(long id) {
        return new Wr(WcOpcode.SEND, id);
    }

    static Wr write(long id, MemoryRegion to, long offset) {
        return new Wr(WcOpcode.WRITE, id).at(to.key(), offset);
    }

    static Wr read(long id, MemoryRegion from, long offset) {
        return new Wr(WcOpcode.READ, id).at(from.key(), offset);
    }

    static Wr fetchAdd(long id, MemoryRegion at, long offset, long add) {
        Wr wr = new Wr(WcOpcode.FETCH_ADD, id).at(at.key(), offset);
        wr.third = add;
        return wr;
    }

    static Wr compareSwap(long id, MemoryRegion at, long offset, long compare, long swap) {
        Wr wr = new Wr(WcOpcode.COMPARE_SWAP, id).at(at.key(), offset);
        wr.third = swap;
        wr.fourth = compare;
        return wr;
    }

    static Wr append(long id, int queue, int key) {
        return new Wr(WcOpcode.APPEND, id).at(key, queue);
    }

    static Wr bind(long id, int newKey, MemoryRegion region, long offset, long length, int access) {
        Wr wr = new Wr(WcOpcode.BIND_WINDOW, id).at(newKey, offset);
        wr.third = region.key();
        wr.fourth = length;
        wr.immediate = access;
        return wr;
    }

    static Wr invalidate(long id, int key) {
        return new Wr(WcOpcode.LOCAL_INVALIDATE, id).at(key, 0);
    }

    /** A key and an offset that need not fit together. */
    Wr at(int key, long offset) {
        remoteKey = key;
        remoteOffset = offset;
        return this;
    }

    Wr entry(MemoryRegion region, long offset, int bytes) {
        return entry(region.key(), offset, bytes);
    }

    Wr entry(int key, long offset, int bytes) {
        int at = entries++ * SendWqeDescriptor.SGE_LENGTH;
        data.putInt(at + SendWqeDescriptor.SGE_KEY, key);
        data.putInt(at + SendWqeDescriptor.SGE_BYTES, bytes);
        data.putLong(at + SendWqeDescriptor.SGE_OFFSET, offset);
        length += bytes;
        return this;
    }

    Wr inline(byte[] bytes) {
        data.putBytes(0, bytes);
        length = bytes.length;
        flags |= SendWqeDescriptor.INLINE;
        return this;
    }

    Wr to(int address, int qp, int qkey) {
        third = (address & 0xFFFF_FFFFL) | (long) qp << Integer.SIZE;
        fourth = qkey & 0xFFFF_FFFFL;
        return this;
    }

    Wr stream(int number) {
        remoteOffset |= (long) number << Integer.SIZE;
        return this;
    }

    Wr immediate(int value) {
        flags |= SendWqeDescriptor.IMMEDIATE;
        immediate = value;
        return this;
    }

    Wr invalidating(int key) {
        flags |= SendWqeDescriptor.INVALIDATE;
        immediate = key;
        return this;
    }

    Wr fence() {
        flags |= SendWqeDescriptor.FENCE;
        return this;
    }

    Wr solicited() {
        flags |= SendWqeDescriptor.SOLICITED;
        return this;
    }

    Wr unsignaled() {
        flags &= ~SendWqeDescriptor.SIGNALED;
        return this;
    }

    /** Makes it a part of a message: {@link SendWqeDescriptor#CONTINUES} and {@link SendWqeDescriptor#UNFINISHED}. */
    Wr part(int partFlags, int ofLength) {
        flags |= partFlags;
        messageLength = ofLength;
        return this;
    }

    /** Writes it into the ring's next slot, and returns the slot; it is not posted yet. */
    int fill(SendRing ring) {
        int slot = ring.claim();
        if (slot < 0) {
            throw new AssertionError("the send queue is full");
        }
        UnsafeBuffer b = ring.buffer();
        b.putLong(slot + SendWqeDescriptor.HEADER, SendWqeDescriptor.header(opcode.ordinal(), flags, entries, length));
        b.putLong(slot + SendWqeDescriptor.WR_ID, id);
        b.putInt(slot + SendWqeDescriptor.IMMEDIATE_DATA, immediate);
        b.putInt(slot + SendWqeDescriptor.REMOTE_KEY, remoteKey);
        b.putLong(slot + SendWqeDescriptor.REMOTE_OFFSET, remoteOffset);
        b.putLong(slot + SendWqeDescriptor.SWAP_OR_ADD, third);
        b.putLong(slot + SendWqeDescriptor.COMPARE, fourth);
        b.putInt(slot + SendWqeDescriptor.MESSAGE_LENGTH, messageLength);
        int room = SendWqeDescriptor.slotLength(ring.maxSge(), ring.maxInline()) - SendWqeDescriptor.DATA;
        b.putBytes(slot + SendWqeDescriptor.DATA, data, 0, room);
        return slot;
    }

    void post(SendRing ring) {
        fill(ring);
        ring.posted();
        ring.publish();
    }
}
