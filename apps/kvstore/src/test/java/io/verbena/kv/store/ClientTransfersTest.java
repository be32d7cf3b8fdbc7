package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.kv.protocol.ReplyEncoder;
import org.agrona.collections.Long2ObjectHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client transfers loses no memory when the Java heap is exhausted. */
class ClientTransfersTest {
    private static final int MIB = 1 << 20;

    /** Fails before or after the entry is there, as a map does that cannot grow. */
    private static final class FailingMap<V> extends Long2ObjectHashMap<V> {
        private final boolean after;
        private boolean armed;

        FailingMap(boolean after) {
            this.after = after;
        }

        @Override
        public V put(long key, V value) {
            if (armed && !after) {
                throw new OutOfMemoryError("injected");
            }
            V before = super.put(key, value);
            if (armed) {
                throw new OutOfMemoryError("injected");
            }
            return before;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anExhaustedHeapLosesNothing(boolean after) {
        Allocator allocator = new Allocator(new Memory(), Long.MAX_VALUE);
        FailingMap<Upload> uploads = new FailingMap<>(after);
        FailingMap<OpenStream> streams = new FailingMap<>(after);
        ClientTransfers transfers = new ClientTransfers(allocator, new StreamIds(), 1000, uploads, streams);
        long block = allocator.allocate(MIB);
        uploads.armed = true;
        streams.armed = true;
        assertThatThrownBy(() -> transfers.begin(1, MIB, MIB)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> transfers.open(block, MIB)).isInstanceOf(OutOfMemoryError.class);
        try (ReplyEncoder reply = new ReplyEncoder()) {
            reply.begin(1);
            reply.bulk(new byte[5000]);
            assertThatThrownBy(() -> transfers.hold(reply, 1)).isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(transfers.uploads()).isZero();
        assertThat(transfers.streams()).isZero();
        assertThat(transfers.heldBytes()).isZero();
        assertThat(allocator.isPinned(block)).isFalse();
        assertThat(allocator.used()).isEqualTo(MIB);
        transfers.close();
        allocator.free(block);
        assertThat(allocator.used()).isZero();
        allocator.close();
        assertThat(allocator.committed()).isZero();
    }
}
