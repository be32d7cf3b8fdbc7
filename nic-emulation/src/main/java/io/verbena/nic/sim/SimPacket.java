package io.verbena.nic.sim;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A packet on its way, and the event that moves it on: it departs, it arrives, it is received. The space around it and,
 * while nobody owns it, its bytes are filled with garbage: who writes past a claim, reads what nobody wrote, or keeps a
 * packet after its delivery finds out.
 */
final class SimPacket extends SimEvent {
    static final int GUARD = 64;

    /** Stages: the last bit leaves; the last bit arrives; the receiver's NIC is done with it. */
    static final int DEPARTS = 0;

    static final int ARRIVES = 1;
    static final int IS_RECEIVED = 2;

    private static final long GUARD_WORD = 0xFDFD_FDFD_FDFD_FDFDL;
    private static final byte GARBAGE = (byte) 0xA5;

    final SimLink sender;
    final UnsafeBuffer buffer;
    int length;
    int stage;

    SimPacket(SimLink sender, int maxPacket) {
        this.sender = sender;
        int capacity = GUARD + ((maxPacket + 7) & ~7) + GUARD;
        byte[] bytes = new byte[capacity + 7];
        // The start of an array's bytes is a matter of the JVM; offsets that are multiples of 8 are promised to be
        // aligned.
        int misaligned = (int) (new UnsafeBuffer(bytes).addressOffset() & 7);
        buffer = new UnsafeBuffer(bytes, -misaligned & 7, capacity);
        buffer.setMemory(0, GUARD, (byte) GUARD_WORD);
        buffer.setMemory(GUARD, capacity - GUARD, GARBAGE);
    }

    void claim(int bytes) {
        length = bytes;
        stage = DEPARTS;
        buffer.setMemory(GUARD + bytes, GUARD, (byte) GUARD_WORD);
    }

    void checkGuards() {
        for (int i = 0; i < GUARD; i += 8) {
            if (buffer.getLong(i) != GUARD_WORD) {
                throw new IllegalStateException("bytes before a claim were written");
            }
            if (buffer.getLong(GUARD + length + i) != GUARD_WORD) {
                throw new IllegalStateException("bytes after a claim of " + length + " were written");
            }
        }
    }

    void forget() {
        buffer.setMemory(GUARD, length + GUARD, GARBAGE);
    }

    @Override
    void fire() {
        if (stage == DEPARTS) {
            stage = ARRIVES;
            sender.departed(this);
        } else if (stage == ARRIVES) {
            stage = IS_RECEIVED;
            sender.arrived(this);
        } else {
            sender.received(this);
        }
    }
}
