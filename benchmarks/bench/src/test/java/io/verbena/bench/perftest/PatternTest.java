package io.verbena.bench.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verification.RunException;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {
    private static TestData pattern(int size, UnsafeBuffer sequence) {
        TestData.fill(sequence, TestData.length(size));
        return new TestData(sequence);
    }

    private static UnsafeBuffer sequence(int size) {
        return new UnsafeBuffer(new byte[TestData.length(size)]);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 100})
    void findsEveryChangedByte(int size) {
        UnsafeBuffer sequence = sequence(size);
        TestData pattern = pattern(size, sequence);
        UnsafeBuffer arrived = new UnsafeBuffer(new byte[size + 3]);
        arrived.putBytes(3, sequence, TestData.offset(700), size);
        pattern.verify(arrived, 3, size, 700);
        for (int i = 0; i < size; i++) {
            byte right = arrived.getByte(3 + i);
            arrived.putByte(3 + i, (byte) (right ^ 1));
            int at = i;
            assertThatThrownBy(() -> pattern.verify(arrived, 3, size, 700))
                    .isInstanceOf(RunException.class)
                    .hasMessageContaining("message 700 of " + size + " bytes")
                    .hasMessageContaining("byte " + at + " is");
            arrived.putByte(3 + i, right);
        }
    }

    @Test
    void findsAMessageInAnothersPlace() {
        UnsafeBuffer sequence = sequence(16);
        TestData pattern = pattern(16, sequence);
        Set<Long> firstWords = new HashSet<>();
        for (int message = 0; message < TestData.SHIFTS; message++) {
            firstWords.add(sequence.getLong(TestData.offset(message)));
            int at = TestData.offset(message);
            long other = message + 1L;
            assertThatThrownBy(() -> pattern.verify(sequence, at, 16, other)).isInstanceOf(RunException.class);
        }
        assertThat(firstWords).hasSize(TestData.SHIFTS);
    }
}
