package io.verbena.nic.append;

import static io.verbena.nic.wire.AppendEthFlyweight.MAX_STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in the first word of a record beside its length. */
class RecordDescriptorTest {
    private static final int QUOTA = RecordDescriptor.MAX_QUOTA << RecordDescriptor.QUOTA_SHIFT;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2048, MAX_STREAM})
    void streamIsBesideFlagsAndQuota(int stream) {
        int flags = RecordDescriptor.HAS_IMMEDIATE | RecordDescriptor.streamFlags(stream) | QUOTA;
        long word = RecordDescriptor.committed(100, flags);
        assertThat(word).as("committed").isPositive();
        assertThat(RecordDescriptor.isSound(word, 116)).isTrue();
        assertThat(RecordDescriptor.length(word)).isEqualTo(116);
        assertThat(RecordDescriptor.stream(RecordDescriptor.flags(word))).isEqualTo(stream);
        assertThat(RecordDescriptor.flags(word) & 15).isEqualTo(RecordDescriptor.HAS_IMMEDIATE);
        assertThat(RecordDescriptor.flags(word) >>> RecordDescriptor.QUOTA_SHIFT)
                .isEqualTo(RecordDescriptor.MAX_QUOTA);
        int delivered = RecordDescriptor.flags(word) & RecordDescriptor.DELIVERED;
        assertThat(delivered).isEqualTo(RecordDescriptor.HAS_IMMEDIATE | RecordDescriptor.streamFlags(stream));
        assertThat(RecordDescriptor.stream(delivered)).isEqualTo(stream);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, MAX_STREAM + 1, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void bitsThatNoStreamHasTouchNothingElse(int stream) {
        assertThat(RecordDescriptor.streamFlags(stream) & ~RecordDescriptor.streamFlags(MAX_STREAM))
                .isZero();
        assertThat(RecordDescriptor.streamFlags(MAX_STREAM) & (QUOTA | 15)).isZero();
    }
}
