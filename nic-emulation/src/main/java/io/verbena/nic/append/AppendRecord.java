package io.verbena.nic.append;

import static io.verbena.nic.append.RecordDescriptor.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A record of an append queue that outlives its handler: where its message lies until {@link #release}. Made once, used
 * again and again ({@link AppendQueue#hold}, {@link AppendConsumer#hold}, {@link AppendConsumer#take}).
 *
 * <p>A record that is held keeps its chunk (or its mapping, if it has one of its own) and nothing else: the queue goes
 * on, and the records behind it are received and released in any order. What is held counts against the queue's memory
 * limit.
 *
 * <p>Concurrency: handed from thread to thread by a happens-before edge; {@link #release} by whichever has it.
 */
public final class AppendRecord {
    private static final int FREE = 0;
    private static final int CHANGING = 1;
    private static final int HELD = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(AppendRecord.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private volatile int state;

    private @Nullable HeldRecords records;
    private @Nullable Chunk chunk;
    private @Nullable LargeMessage large;
    private long counted;
    private AtomicBuffer buffer = Appender.NOTHING;
    private int offset;
    private int length;
    private int qpNumber;
    private int immediate;
    private boolean hasImmediate;
    private int stream;

    /** Creates a record that holds nothing. */
    public AppendRecord() {}

    /** Takes a record of a chunk, which is counted already. */
    void hold(HeldRecords of, Chunk in, int at, long word) {
        begin();
        AtomicBuffer memory = in.buffer;
        int whole = RecordDescriptor.length(word);
        records = of;
        chunk = in;
        counted = align(whole);
        describe(
                memory, at + PAYLOAD_OFFSET, whole - HEADER_LENGTH, memory.getLong(at + QP_NUMBER_OFFSET), flags(word));
        state = HELD;
    }

    /** Takes a message with a mapping of its own, which is counted already. */
    void hold(HeldRecords of, LargeMessage message, int bytes, long source, int flags) {
        begin();
        records = of;
        large = message;
        counted = bytes;
        describe(message.buffer(), 0, bytes, source, flags);
        state = HELD;
    }

    private void describe(AtomicBuffer memory, int at, int bytes, long source, int flags) {
        buffer = memory;
        offset = at;
        length = bytes;
        qpNumber = (int) source;
        immediate = (int) (source >>> 32);
        hasImmediate = (flags & HAS_IMMEDIATE) != 0;
        stream = RecordDescriptor.stream(flags);
    }

    private void begin() {
        if (!STATE.compareAndSet(this, FREE, CHANGING)) {
            throw new IllegalStateException("a record that is held cannot take another one; release it first");
        }
    }

    /** The memory that holds the message; nothing of it may be written. Without bytes if nothing is held. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /** Offset of the message's first byte, a multiple of 8. */
    public int offset() {
        return offset;
    }

    /** Length of the message in bytes. */
    public int length() {
        return length;
    }

    /** The local queue pair by which it came. */
    public int qpNumber() {
        return qpNumber;
    }

    /** The stream of that queue pair's that it is of, as the sender said; 0 if it said nothing. */
    public int stream() {
        return stream;
    }

    /** The immediate value, 0 if there is none. */
    public int immediate() {
        return immediate;
    }

    /** Whether there is an immediate value. */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /** Whether a record is held. Any thread. */
    public boolean isHeld() {
        return state == HELD;
    }

    /**
     * Gives the record back: its memory is not to be looked at any more. Any thread, also after the queue was
     * destroyed.
     *
     * @throws IllegalStateException if nothing is held: released twice, or never held
     */
    public void release() {
        if (!STATE.compareAndSet(this, HELD, CHANGING)) {
            throw new IllegalStateException("the record is not held: released twice, or never held");
        }
        HeldRecords of = records;
        Chunk in = chunk;
        LargeMessage message = large;
        long bytes = counted;
        records = null;
        chunk = null;
        large = null;
        buffer = Appender.NOTHING;
        offset = 0;
        length = 0;
        immediate = 0;
        hasImmediate = false;
        state = FREE;
        if (of != null && in != null) {
            of.release(in, 1, bytes);
        } else if (of != null && message != null) {
            of.release(message, bytes);
        }
    }
}
