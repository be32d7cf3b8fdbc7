package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.KeyText;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.queue.SlotWriter;
import io.verbena.nic.transport.InlineData;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.wire.AppendEthFlyweight;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A work request for a send queue ({@code ibv_post_send(3)}): mutable and reusable, copied when it is posted. Each of
 * the methods that name an operation starts a new request: it forgets data and flags, and is signaled.
 *
 * <pre>{@code
 *   qp.postSend(request.write(rkey, 4096).local(region.localKey(), 0, 512).wrId(7));
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class SendRequest implements SlotWriter {
    private static final int INITIAL_ENTRIES = 4;

    private WcOpcode opcode = WcOpcode.SEND;
    private int flags = SendWqeDescriptor.SIGNALED;
    private long wrId;
    private int immediate;
    private int remoteKey;
    private long remoteOffset;
    private long swapOrAdd;
    private long compare;
    private int regionKey;
    private long windowLength;
    private boolean addressed;
    private int address;
    private int destinationQp;
    private int qkey;

    private int entries;
    private int[] keys = new int[INITIAL_ENTRIES];
    private int[] lengths = new int[INITIAL_ENTRIES];
    private long[] offsets = new long[INITIAL_ENTRIES];

    private long length; // of all entries, or of the inline data

    private final InlineData inline = new InlineData();

    /** Creates a request that sends nothing. */
    public SendRequest() {}

    /** SEND: consumes a receive request of the peer. */
    public SendRequest send() {
        return start(WcOpcode.SEND, 0, 0);
    }

    /** SEND with 32 bits of immediate data. */
    public SendRequest sendImmediate(int immediateData) {
        return start(WcOpcode.SEND, 0, 0).immediate(immediateData);
    }

    /** WRITE to a region of the peer. */
    public SendRequest write(int key, long offset) {
        return start(WcOpcode.WRITE, key, offset);
    }

    /** WRITE that consumes a receive request of the peer and hands it 32 bits of immediate data. */
    public SendRequest writeImmediate(int key, long offset, int immediateData) {
        return start(WcOpcode.WRITE, key, offset).immediate(immediateData);
    }

    /** READ from a region of the peer into the local entries. */
    public SendRequest read(int key, long offset) {
        return start(WcOpcode.READ, key, offset);
    }

    /** Compare-and-swap of 8 aligned bytes; the original value lands in the local entry of 8 bytes. */
    public SendRequest compareSwap(int key, long offset, long expected, long desired) {
        start(WcOpcode.COMPARE_SWAP, key, offset);
        compare = expected;
        swapOrAdd = desired;
        return this;
    }

    /** Fetch-and-add of 8 aligned bytes; the original value lands in the local entry of 8 bytes. */
    public SendRequest fetchAdd(int key, long offset, long addend) {
        start(WcOpcode.FETCH_ADD, key, offset);
        swapOrAdd = addend;
        return this;
    }

    /** APPEND to an append queue of the peer (RIMA). */
    public SendRequest append(int queueId, int queueKey) {
        return start(WcOpcode.APPEND, queueKey, queue(queueId));
    }

    /** APPEND with 32 bits of immediate data. */
    public SendRequest appendImmediate(int queueId, int queueKey, int immediateData) {
        return start(WcOpcode.APPEND, queueKey, queue(queueId)).immediate(immediateData);
    }

    /**
     * Sets the stream of an APPEND: the receiver gets the number with the message. It is for senders that share a queue
     * pair, and means nothing to the NIC.
     *
     * @param number 0, which is the default, to {@link AppendEthFlyweight#MAX_STREAM}
     * @throws IllegalStateException if the request is no APPEND
     */
    public SendRequest stream(int number) {
        if (opcode != WcOpcode.APPEND) {
            throw new IllegalStateException(opcode + " has no stream");
        }
        if (number < 0 || number > AppendEthFlyweight.MAX_STREAM) {
            throw new IllegalArgumentException("stream " + number + " outside 0.." + AppendEthFlyweight.MAX_STREAM);
        }
        remoteOffset = SendWqeDescriptor.pair((int) remoteOffset, number);
        return this;
    }

    private static long queue(int id) {
        return SendWqeDescriptor.pair(id, 0);
    }

    /**
     * SEND that invalidates a key of the peer: that of a window of type 2 that its queue pair has bound. RC and UC.
     */
    public SendRequest sendInvalidate(int key) {
        start(WcOpcode.SEND, 0, 0);
        immediate = key;
        return flag(SendWqeDescriptor.INVALIDATE, true);
    }

    /** Invalidates the key of a window of type 2 that this queue pair has bound. RC and UC. */
    public SendRequest localInvalidate(int key) {
        return start(WcOpcode.LOCAL_INVALIDATE, key, 0);
    }

    /**
     * Binds a window of type 2 ({@code ibv_wr_bind_mw(3)}). RC and UC.
     *
     * @param window of type 2, not bound
     * @param newKey the key that it will have, as {@link MemoryWindow#nextKey} makes it
     * @param region with the access {@link io.verbena.nic.memory.Access#MW_BIND}
     * @param offset in the region
     * @param length in bytes, at least 1
     * @param access what the peer may do, remote flags only
     */
    public SendRequest bind(
            MemoryWindow window, int newKey, MemoryRegion region, long offset, long length, int access) {
        if (window.type() != MemoryWindow.Type.TYPE_2) {
            throw new IllegalArgumentException(window + " is bound by call");
        }
        if (!window.mayHaveKey(newKey)) {
            throw new IllegalArgumentException(
                    "key " + KeyText.of(newKey) + " cannot be one of " + window + "; see nextKey");
        }
        return bind(newKey, region, offset, length, access);
    }

    SendRequest bindType1(MemoryWindow window, int newKey, MemoryRegion region, long offset, long length, int access) {
        if (window.type() != MemoryWindow.Type.TYPE_1) {
            throw new IllegalArgumentException(window + " is bound by request");
        }
        return bind(newKey, region, offset, length, access);
    }

    private SendRequest bind(int newKey, MemoryRegion region, long offset, long length, int access) {
        start(WcOpcode.BIND_WINDOW, newKey, offset);
        regionKey = region.key();
        windowLength = length;
        immediate = access;
        return this;
    }

    /**
     * Sets the destination of a datagram. UD only, where it is required.
     *
     * @param handle leads to the peer's NIC
     * @param qpNumber the peer's queue pair
     * @param queueKey its Q_Key
     */
    public SendRequest to(AddressHandle handle, int qpNumber, int queueKey) {
        addressed = true;
        address = handle.key();
        destinationQp = qpNumber;
        qkey = queueKey;
        return this;
    }

    /** Sets the id that the completion carries. */
    public SendRequest wrId(long id) {
        wrId = id;
        return this;
    }

    /** Sets whether success makes a completion; an error always does. */
    public SendRequest signaled(boolean wanted) {
        return flag(SendWqeDescriptor.SIGNALED, wanted);
    }

    /** Whether success makes a completion. */
    public boolean isSignaled() {
        return (flags & SendWqeDescriptor.SIGNALED) != 0;
    }

    /** Makes the receiver's completion a solicited one, which raises an event even if only those do. */
    public SendRequest solicited() {
        return flag(SendWqeDescriptor.SOLICITED, true);
    }

    /** Waits until earlier READs and atomics of the queue pair are complete. */
    public SendRequest fence() {
        return flag(SendWqeDescriptor.FENCE, true);
    }

    /**
     * Adds a scatter/gather entry.
     *
     * @param key local key
     * @param offset in the region, bytes
     * @param length bytes, at least 0
     */
    public SendRequest local(int key, long offset, int length) {
        if (length < 0) {
            throw new IllegalArgumentException("length " + length + " < minimum 0");
        }
        if (entries == keys.length) {
            keys = Arrays.copyOf(keys, entries * 2);
            lengths = Arrays.copyOf(lengths, entries * 2);
            offsets = Arrays.copyOf(offsets, entries * 2);
        }
        keys[entries] = key;
        offsets[entries] = offset;
        lengths[entries++] = length;
        this.length += length;
        return this;
    }

    /**
     * Takes the data from any buffer. It is copied when the request is posted, so the buffer may be reused on return;
     * no key is checked. SEND, WRITE and APPEND only.
     */
    public SendRequest inline(DirectBuffer buffer, int offset, int length) {
        inline.wrap(buffer, offset, length);
        this.length = length;
        return flag(SendWqeDescriptor.INLINE, true);
    }

    /** As {@link #inline(DirectBuffer, int, int)}, from two buffers, one after the other. */
    public SendRequest inline(
            DirectBuffer head, int headOffset, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
        inline.wrap(head, headOffset, headLength);
        inline.follow(body, bodyOffset, bodyLength);
        this.length = (long) headLength + bodyLength;
        return flag(SendWqeDescriptor.INLINE, true);
    }

    /** Bytes of its data. */
    public long length() {
        return length;
    }

    /**
     * Another request like this one, to be posted later.
     *
     * @throws IllegalStateException if it carries inline data, which may have changed by then
     */
    public SendRequest copy() {
        if (inline.isPresent()) {
            throw new IllegalStateException("a request with inline data cannot be kept");
        }
        SendRequest copy = new SendRequest();
        copy.opcode = opcode;
        copy.flags = flags;
        copy.wrId = wrId;
        copy.immediate = immediate;
        copy.remoteKey = remoteKey;
        copy.remoteOffset = remoteOffset;
        copy.swapOrAdd = swapOrAdd;
        copy.compare = compare;
        copy.regionKey = regionKey;
        copy.windowLength = windowLength;
        copy.addressed = addressed;
        copy.address = address;
        copy.destinationQp = destinationQp;
        copy.qkey = qkey;
        for (int i = 0; i < entries; i++) {
            copy.local(keys[i], offsets[i], lengths[i]);
        }
        copy.length = length;
        return copy;
    }

    private SendRequest start(WcOpcode kind, int key, long offset) {
        if (opcode != kind) { // mostly it is the one of before: no store, and no barrier of the collector's
            opcode = kind;
        }
        flags = SendWqeDescriptor.SIGNALED;
        remoteKey = key;
        remoteOffset = offset;
        entries = 0;
        length = 0;
        inline.clear();
        addressed = false;
        return this;
    }

    private SendRequest immediate(int data) {
        immediate = data;
        return flag(SendWqeDescriptor.IMMEDIATE, true);
    }

    private SendRequest flag(int flag, boolean set) {
        flags = set ? flags | flag : flags & ~flag;
        return this;
    }

    /** Refuses a request that can never be executed. */
    void check(QpType type, int maxSge, int maxInline, int maxMessage) {
        if (!type.offers(opcode)) {
            throw new IllegalArgumentException(type + " does not offer " + opcode);
        }
        if (addressed != (type == QpType.UD)) {
            throw new IllegalArgumentException(
                    addressed ? type + " does not take an address handle" : "a datagram needs an address handle");
        }
        if (type != QpType.RC) {
            checkWithout(type);
        }
        if (inline.isPresent()) {
            checkInline(maxInline);
        } else if (entries > maxSge) {
            throw new IllegalArgumentException(entries + " scatter/gather entries > maximum " + maxSge);
        }
        if (length > maxMessage) {
            throw new IllegalArgumentException((maxMessage == Integer.MAX_VALUE ? "message of " : "urgent message of ")
                    + length + " bytes > maximum " + maxMessage);
        }
    }

    /** Refuses what only RC offers. */
    private void checkWithout(QpType type) {
        if (type == QpType.UD && (flags & SendWqeDescriptor.INVALIDATE) != 0) {
            throw new IllegalArgumentException("UD does not offer SEND with invalidate");
        }
        if ((flags & SendWqeDescriptor.FENCE) != 0) {
            throw new IllegalArgumentException(type + " does not offer a fence: it has no READs and atomics");
        }
    }

    private void checkInline(int maxInline) {
        if (opcode != WcOpcode.SEND && opcode != WcOpcode.WRITE && opcode != WcOpcode.APPEND) {
            throw new IllegalArgumentException(opcode + " cannot carry inline data");
        }
        if (entries > 0) {
            throw new IllegalArgumentException("inline data and " + entries + " entries in one request");
        }
        if (length > maxInline) {
            throw new IllegalArgumentException("inline data of " + length + " bytes > maximum " + maxInline);
        }
    }

    /** Executes the request while it is posted, if possible; its element is in the slot, its inline data is not. */
    boolean executeNow(Engine engine, QpContext qp, int slot, int longest) {
        return qp.mayExecuteNow(opcode.ordinal(), flags) && engine.executeNow(qp, slot, null, inline, longest);
    }

    /** As the other, in a slot that it gets under the baton. */
    boolean executeNow(Engine engine, QpContext qp, int longest) {
        return qp.mayExecuteNow(opcode.ordinal(), flags) && engine.executeNow(qp, -1, this, inline, longest);
    }

    /** Internal: lays it, except for inline data, into the next slot of a ring that is empty. */
    @Override
    public int write(SendRing ring) {
        int slot = ring.isIdle() ? ring.claim() : -1;
        if (slot >= 0) {
            encode(ring.buffer(), slot);
        }
        return slot;
    }

    /** Copies the request, except for inline data, to a slot of a send ring. */
    void encode(UnsafeBuffer ring, int slot) {
        ring.putLong(slot + SendWqeDescriptor.HEADER, SendWqeDescriptor.header(opcode.ordinal(), flags, entries, (int)
                length));
        ring.putLong(slot + SendWqeDescriptor.WR_ID, wrId);
        ring.putLong(slot + SendWqeDescriptor.IMMEDIATE_DATA, SendWqeDescriptor.pair(immediate, remoteKey));
        ring.putLong(slot + SendWqeDescriptor.REMOTE_OFFSET, remoteOffset);
        if (opcode == WcOpcode.COMPARE_SWAP || opcode == WcOpcode.FETCH_ADD) {
            ring.putLong(slot + SendWqeDescriptor.SWAP_OR_ADD, swapOrAdd);
            ring.putLong(slot + SendWqeDescriptor.COMPARE, compare);
        } else if (addressed) {
            ring.putInt(slot + SendWqeDescriptor.ADDRESS, address);
            ring.putInt(slot + SendWqeDescriptor.DESTINATION_QP, destinationQp);
            ring.putInt(slot + SendWqeDescriptor.QKEY, qkey);
        } else if (opcode == WcOpcode.BIND_WINDOW) {
            ring.putLong(slot + SendWqeDescriptor.REGION_KEY, regionKey);
            ring.putLong(slot + SendWqeDescriptor.WINDOW_LENGTH, windowLength);
        }
        int entry = slot + SendWqeDescriptor.DATA;
        for (int i = 0; i < entries; i++, entry += SendWqeDescriptor.SGE_LENGTH) {
            ring.putLong(entry + SendWqeDescriptor.SGE_KEY, SendWqeDescriptor.pair(keys[i], lengths[i]));
            ring.putLong(entry + SendWqeDescriptor.SGE_OFFSET, offsets[i]);
        }
    }

    /** Copies inline data, if it has any, to where it is to be posted from. */
    public void copyInline(MutableDirectBuffer target, int offset) {
        inline.copyTo(target, offset);
    }

    /** Copies inline data, if it has any, to a slot that {@link #encode} has filled. */
    void encodeInline(UnsafeBuffer ring, int slot) {
        inline.copyTo(ring, slot + SendWqeDescriptor.DATA);
    }
}
