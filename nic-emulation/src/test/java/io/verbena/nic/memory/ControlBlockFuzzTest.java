package io.verbena.nic.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.nic.port.PeerMemory;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as a peer's control block: it is refused, or everything in it lies inside. */
class ControlBlockFuzzTest {
    private static final ControlLimits LIMITS = new ControlLimits(1, 16, 16, 1, 4);
    private static final int SEGMENT = 4096;

    /** Triples of where, how and what, laid over a block that was right. */
    @FuzzTest(maxDuration = "2m")
    void anyBlock(byte[] script) {
        DirectMemoryProvider memory = new DirectMemoryProvider();
        ControlBlock own = ControlBlock.create(memory, 1, LIMITS);
        AtomicBuffer segment = new UnsafeBuffer(new byte[SEGMENT]);
        byte[] copy = new byte[own.buffer().capacity()];
        own.buffer().getBytes(0, copy);
        UnsafeBuffer block = new UnsafeBuffer(copy);
        int keys = 0;
        for (int at = 0; at + 3 < script.length && at < 200; at += 4) {
            int word = ((script[at] & 0xFF) | (script[at + 1] & 0x0F) << 8) % (block.capacity() / 4);
            int value = script[at + 3];
            block.putInt(
                    word * 4,
                    switch (script[at + 1] >>> 4 & 3) {
                        case 0 -> value;
                        case 1 -> value << 24 | (value & 0xFF);
                        case 2 -> block.getInt(word * 4) + value;
                        default -> Integer.MAX_VALUE - (value & 0xFF);
                    });
            keys ^= script[at + 2];
        }
        ControlBlock peer;
        try {
            peer = ControlBlock.map(block);
        } catch (IllegalStateException e) {
            assertThat(e.getMessage()).startsWith("control block");
            return;
        }
        int last = peer.limits().maxAppendQueues() - 1;
        assertThat(peer.queueOffset(last)).isBetween(0, block.capacity() - 1);
        for (int qp = -1; qp <= peer.limits().maxQueuePairs(); qp++) {
            peer.qpWord(qp);
        }
        assertThat(peer.slotsInUse()).isLessThanOrEqualTo(peer.limits().maxQueuePairs());
        peer.isKeyInFlight(7);
        peer.isParkedFenced(0);
        peer.isOpen();
        resolve(peer, segment, keys);
    }

    /** Whatever the key table says, a range that is resolved lies in the segment. */
    private static void resolve(ControlBlock peer, AtomicBuffer segment, int salt) {
        RemoteKeys resolver = new RemoteKeys(peer, new PeerMemory() {
            @Override
            public AtomicBuffer control() {
                return peer.buffer();
            }

            @Override
            public AtomicBuffer segment(int segmentId) {
                return (segmentId & 1) == 0 ? segment : null;
            }
        });
        for (int index = 0; index < peer.limits().maxKeys(); index++) {
            int key = peer.buffer().getInt(peer.keyOffset(index));
            int pd = peer.buffer().getInt(peer.keyOffset(index) + ControlDescriptor.KEY_PD_OFFSET);
            for (long offset : new long[] {0, salt, Long.MAX_VALUE, Long.MIN_VALUE, SEGMENT}) {
                for (long length : new long[] {0, 1, 8, salt, SEGMENT, Long.MAX_VALUE, -1}) {
                    if (resolver.resolve(key, pd, offset, length, 0) == RemoteKeys.OK) {
                        assertThat(resolver.index()).isBetween(0, SEGMENT);
                        assertThat(length).isBetween(0L, (long) SEGMENT - resolver.index());
                    }
                }
            }
        }
    }
}
