package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.TestNode;
import io.verbena.nic.port.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class PacketRingTest {
    private static final long PATIENCE_NANOS = 45_000_000_000L; // less than the limit, which does not end a loop

    private static AtomicBuffer newRing(int capacity, int maxPacket) {
        AtomicBuffer ring =
                new UnsafeBuffer(BufferUtil.allocateDirectAligned(PacketRingDescriptor.totalLength(capacity), 128));
        PacketRingDescriptor.initialize(ring, capacity, maxPacket);
        return ring;
    }

    private static List<Integer> drain(PacketRingReader reader, int limit) {
        List<Integer> lengths = new ArrayList<>();
        reader.poll(null, (link, buffer, offset, length) -> lengths.add(length), limit);
        return lengths;
    }

    @Test
    void deliversWhatWasCommitted() {
        AtomicBuffer ring = newRing(4096, 512);
        PacketRingWriter writer = new PacketRingWriter(ring);
        PacketRingReader reader = new PacketRingReader(ring);

        int offset = writer.claim(13);
        assertThat(offset % 8).isZero();
        assertThat(reader.hasNext()).as("a claim is not yet a packet").isFalse();
        writer.buffer().putStringWithoutLengthAscii(offset, "hello verbena");
        writer.commit();

        assertThat(reader.hasNext()).isTrue();
        List<String> got = new ArrayList<>();
        int delivered = reader.poll(
                null, (link, buffer, at, length) -> got.add(buffer.getStringWithoutLengthAscii(at, length)), 10);
        assertThat(delivered).isEqualTo(1);
        assertThat(got).containsExactly("hello verbena");
        assertThat(reader.hasNext()).isFalse();
        assertThat(drain(reader, 10)).isEmpty();
    }

    @Test
    void obeysTheLimit() {
        AtomicBuffer ring = newRing(4096, 512);
        PacketRingWriter writer = new PacketRingWriter(ring);
        for (int i = 1; i <= 5; i++) {
            writer.claim(i);
            writer.commit();
        }
        PacketRingReader reader = new PacketRingReader(ring);
        assertThat(drain(reader, 2)).containsExactly(1, 2);
        assertThat(drain(reader, 0)).isEmpty();
        assertThat(drain(reader, 10)).containsExactly(3, 4, 5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 63, 64, 120, 500, 512})
    void saysNoRoomWhenFullAndTakesMoreWhenDrained(int length) {
        AtomicBuffer ring = newRing(4096, 512);
        PacketRingWriter writer = new PacketRingWriter(ring);
        PacketRingReader reader = new PacketRingReader(ring);
        for (int lap = 0; lap < 50; lap++) {
            int written = 0;
            while (writer.claim(length) != Link.NO_ROOM) {
                writer.commit();
                written++;
            }
            assertThat(written).isGreaterThanOrEqualTo(3).isLessThan(4096 / length + 1);
            assertThat(drain(reader, Integer.MAX_VALUE)).hasSize(written).containsOnly(length);
        }
    }

    @Test
    void wrapsWithRecordsThatEndExactlyAtTheEnd() {
        AtomicBuffer ring = newRing(4096, 512);
        PacketRingWriter writer = new PacketRingWriter(ring);
        PacketRingReader reader = new PacketRingReader(ring);
        for (int i = 0; i < 1000; i++) {
            assertThat(writer.claim(504)).isNotEqualTo(Link.NO_ROOM);
            writer.commit();
            assertThat(drain(reader, 10)).containsExactly(504);
        }
        assertThat(writer.position()).isEqualTo(1000L * 512);
        assertThat(reader.position()).isEqualTo(writer.position());
    }

    @Test
    void continuesAfterAHandlerThatThrows() {
        AtomicBuffer ring = newRing(4096, 512);
        PacketRingWriter writer = new PacketRingWriter(ring);
        for (int i = 1; i <= 3; i++) {
            writer.claim(i);
            writer.commit();
        }
        PacketRingReader reader = new PacketRingReader(ring);
        assertThatThrownBy(() -> reader.poll(
                        null,
                        (link, buffer, offset, length) -> {
                            throw new IllegalStateException("handler");
                        },
                        10))
                .hasMessage("handler");
        assertThat(drain(reader, 10)).containsExactly(2, 3);
    }

    @ParameterizedTest
    @CsvSource({"0,100", "1000,100", "4096,2000", "4096,0", "2048,100"})
    void refusesRingsOfTheWrongSize(int capacity, int maxPacket) {
        assertThatThrownBy(() -> PacketRingDescriptor.checkCapacity(capacity, maxPacket))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ring of " + capacity);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 513, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesPacketsOfTheWrongSize(int length) {
        PacketRingWriter writer = new PacketRingWriter(newRing(4096, 512));
        assertThatThrownBy(() -> writer.claim(length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(length + " bytes, expected 1 to 512");
    }

    @Test
    void refusesACommitWithoutAClaim() {
        PacketRingWriter writer = new PacketRingWriter(newRing(4096, 512));
        assertThatThrownBy(writer::commit).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {513, 100_000, -8, -4095, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void stopsAtALengthThatNoProducerWrites(int length) {
        AtomicBuffer ring = newRing(4096, 512);
        PacketRingReader reader = new PacketRingReader(ring);
        ring.putInt(PacketRingDescriptor.HEADER_LENGTH, length);
        assertThat(drain(reader, 10)).isEmpty();
        assertThat(reader.isCorrupt()).isTrue();
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void refusesAForeignLayout() {
        AtomicBuffer ring = newRing(4096, 512);
        assertThat(PacketRingDescriptor.defect(ring, 4096, 512)).isNull();
        assertThat(PacketRingDescriptor.defect(ring, 8192, 512)).contains("ring memory");
        assertThat(PacketRingDescriptor.defect(ring, 4096, 511)).contains("512 bytes, expected 511");
        ring.putInt(PacketRingDescriptor.VERSION_OFFSET, 9);
        assertThat(PacketRingDescriptor.defect(ring, 4096, 512)).contains("version 9");
        ring.putLong(PacketRingDescriptor.MAGIC_OFFSET, 1);
        assertThat(PacketRingDescriptor.defect(ring, 4096, 512)).contains("magic");
    }

    @ParameterizedTest
    @CsvSource({"4096,500,20000", "65536,4000,100000", "262144,16512,100000"}) // a small ring is full more often
    void carriesPacketsOfAllSizesBetweenTwoThreads(int capacity, int maxPacket, long count) throws Exception {
        AtomicBuffer ring = newRing(capacity, maxPacket);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread producer = new Thread(() -> {
            PacketRingWriter writer = new PacketRingWriter(ring);
            for (long sequence = 0; sequence < count && !Thread.interrupted(); ) {
                int length = TestNode.lengthOf(sequence, maxPacket);
                int offset = writer.claim(length);
                if (offset == Link.NO_ROOM) {
                    Thread.yield();
                    continue;
                }
                ring.putLong(offset, sequence);
                for (int i = 8; i < length; i++) {
                    ring.putByte(offset + i, (byte) (sequence * 31 + i));
                }
                writer.commit();
                sequence++;
            }
        });
        producer.setUncaughtExceptionHandler((t, e) -> failure.set(e));
        producer.start();
        try {
            PacketRingReader reader = new PacketRingReader(ring);
            long[] next = {0};
            long begin = System.nanoTime();
            while (next[0] < count) {
                int delivered = reader.poll(
                        null,
                        (link, buffer, offset, length) -> {
                            assertThat(buffer.getLong(offset) == next[0]).isTrue();
                            TestNode.verify(buffer, offset, length, TestNode.lengthOf(next[0]++, maxPacket));
                        },
                        50);
                if (delivered == 0) {
                    assertThat(reader.isCorrupt()).isFalse();
                    assertThat(failure.get()).isNull();
                    assertThat(System.nanoTime() - begin).isLessThan(PATIENCE_NANOS);
                    Thread.yield();
                }
            }
            assertThat(reader.hasNext()).isFalse();
        } finally {
            producer.interrupt();
            producer.join(5_000);
        }
    }
}
