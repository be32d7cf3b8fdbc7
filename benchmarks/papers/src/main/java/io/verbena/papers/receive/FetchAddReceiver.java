package io.verbena.papers.receive;

import io.verbena.nic.Completion;
import io.verbena.nic.Nic;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.verbs.WcOpcode;
import org.agrona.concurrent.AtomicBuffer;

/** The receiver of {@link FetchAddLarge}. */
final class FetchAddReceiver extends SrqReceiver {
    private final int ringLength;
    private final MemoryRegion ring;
    private final MemoryRegion words;
    private final int[] done; // units of the record that begins at a unit, once it may be taken back
    private long takenBytes;

    FetchAddReceiver(
            String label, Nic nic, SchemeSettings settings, int cut, int smallBuffers, int ringLength, int spare) {
        super(label, nic, settings, new int[] {cut}, new int[] {smallBuffers}, false, 0, 0);
        this.ringLength = ringLength;
        ring = domain.allocate(ringLength + spare, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        words = domain.allocate(FetchAddLarge.WORDS_LENGTH, Access.ALL);
        done = new int[ringLength / FetchAddLarge.UNIT];
    }

    @Override
    long[] invitation(int sender) {
        return new long[] {sender, ring.key(), words.key(), ringLength};
    }

    @Override
    void onReceive(int sender, AtomicBuffer memory, int offset, Completion completion) {
        if (completion.opcode() != WcOpcode.RECEIVE_WRITE_IMMEDIATE) {
            super.onReceive(sender, memory, offset, completion);
            return;
        }
        int unit = completion.immediate();
        int at = unit * FetchAddLarge.UNIT;
        int length = completion.byteLength() - FetchAddLarge.HEADER;
        int number = (int) ring.buffer().getLong(at);
        try {
            deliver(ring.buffer(), at + FetchAddLarge.HEADER, length, sender, number);
        } finally {
            done[unit] = FetchAddLarge.claim(length) / FetchAddLarge.UNIT;
            takeBack();
        }
    }

    private void takeBack() {
        int unit = (int) (takenBytes % ringLength) / FetchAddLarge.UNIT;
        while (done[unit] > 0) {
            takenBytes += (long) done[unit] * FetchAddLarge.UNIT;
            done[unit] = 0;
            unit = (int) (takenBytes % ringLength) / FetchAddLarge.UNIT;
        }
        words.buffer().putLongRelease(FetchAddLarge.TAKEN, takenBytes);
    }

    @Override
    public SchemeFootprint footprint() {
        long small = bytes();
        long posted = postedBytes();
        long claimed = Math.min(ringLength, words.buffer().getLongVolatile(FetchAddLarge.MADE) - takenBytes);
        long held = small + ring.length();
        return new SchemeFootprint(small - posted + claimed, posted + ring.length() - claimed, held, held);
    }

    @Override
    void release() {
        domain.deregister(ring);
        domain.deregister(words);
        super.release();
    }
}
