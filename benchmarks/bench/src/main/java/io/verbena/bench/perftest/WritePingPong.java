package io.verbena.bench.perftest;

import org.agrona.concurrent.AtomicBuffer;

/**
 * WRITE: the target looks at the last byte of the slot where the next message will be, which differs from that
 * message's until it is there. A slot is made ready again after its message was looked at, several messages ahead of
 * its next use.
 */
final class WritePingPong extends PingPong {
    private final AtomicBuffer memory;
    private final TestData pattern;
    private final int size;
    private int at;
    private byte awaited;

    WritePingPong(TestEnd end, PerftestSettings settings, SpinWait wait, boolean initiator) {
        super(end, settings, wait, initiator);
        this.memory = end.arrivals();
        this.pattern = end.pattern();
        this.size = end.size();
        for (int i = 0; i < end.slots(); i++) {
            makeReady(i);
        }
        expect(0);
    }

    private void makeReady(long message) {
        memory.putByteVolatile(end.slotOffset(0, message) + size - 1, (byte) ~pattern.last(message, size));
    }

    private void expect(long message) {
        at = end.slotOffset(0, message);
        awaited = pattern.last(message, size);
    }

    @Override
    int poll() {
        if (memory.getByteVolatile(at + size - 1) != awaited) {
            turnNowAndThen();
            return 0;
        }
        long message = arrived();
        arrive();
        if (settings.validate()) {
            pattern.verify(memory, at, size, message);
        }
        makeReady(message + end.slots());
        expect(message + 1);
        return 1;
    }
}
