package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;
import static io.verbena.nic.append.RecordDescriptor.PADDING;
import static io.verbena.nic.append.RecordDescriptor.word;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.memory.ControlDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who has a queue mapped writes into its words what no appender writes: that queue ends, and nothing else. */
@Timeout(180)
class HostileNeighbourTest {
    private static final int LENGTH = 40;
    private static final int QP = 3;

    private final AppendFixture fixture = new AppendFixture();
    private final List<Integer> corrupted = new ArrayList<>();
    private final long before = fixture.memory.allocated();
    private final AppendQueue queue = fixture.create(AppendFixture.attributes());
    private final AppendQueue other = fixture.create(AppendFixture.attributes());
    private final AtomicBuffer table = fixture.control.buffer();
    private final int entry = fixture.control.queueOffset(queue.id());

    HostileNeighbourTest() {
        fixture.queues.onCorrupted(corrupted::add);
    }

    private int append(Appender appender, AppendQueue to) {
        int status = appender.claimRun(to.id(), to.key(), to.pd(), LENGTH, RecordDescriptor.alignedLength(LENGTH), QP);
        if (status == Appender.OK) {
            AtomicBuffer room = appender.roomBuffer();
            room.putLong(appender.room() + RecordDescriptor.QP_NUMBER_OFFSET, RecordDescriptor.source(QP, 0));
            appender.commitRun(RecordDescriptor.committed(LENGTH, 0));
        }
        return status;
    }

    private AtomicBuffer firstChunk() {
        long head = table.getLong(entry + HEAD_OFFSET);
        int at = chunkEntry(entry, sequence(head), table.getInt(entry + CHUNK_MASK_OFFSET));
        return Objects.requireNonNull(fixture.memory.segment(table.getInt(at + CHUNK_SEGMENT_OFFSET)));
    }

    private int take(AppendQueue from) {
        return from.poll(
                (buffer, offset, length, qp, immediate, flags) ->
                        assertThat(length).isEqualTo(LENGTH),
                10);
    }

    /** It takes nothing more, says so once, and what it had can be given back; others go on. */
    private void expectEnded() {
        assertThat(corrupted).containsExactly(queue.id());
        assertThat(take(queue)).isZero();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(append(fixture.peer(), queue)).isEqualTo(Appender.NO_QUEUE);
        assertThat(append(fixture.peer(), other)).isEqualTo(Appender.OK);
        assertThat(take(other)).isOne();
        fixture.settle();
        assertThat(corrupted).hasSize(1);
        assertThat(queue.destroy(true)).isTrue();
        assertThat(other.destroy(true)).isTrue();
        for (int i = 0; i < 4; i++) {
            queue.isEmpty();
            other.isEmpty();
            fixture.clock.addAndGet(2_000_000_000L);
            fixture.settle();
        }
        assertThat(queue.isFreed()).isTrue();
        assertThat(fixture.memory.allocated()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"8,0", "15,0", "65536,0", "2147483647,0", "2147483640,1", "70000,1", "4,1"})
    void aFalseRecordEndsItsQueue(int length, int flags) {
        Appender peer = fixture.peer();
        append(peer, queue);
        append(peer, queue);
        firstChunk().putLongVolatile(RecordDescriptor.alignedLength(LENGTH), word(length, flags));
        assertThat(queue.poll((buffer, offset, bytes, qp, immediate, f) -> {}, 1))
                .isOne();
        assertThatThrownBy(() -> take(queue))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("append queue " + queue.id() + " is corrupted: record of " + length + " bytes");
        expectEnded();
    }

    @ParameterizedTest
    @CsvSource({"8,0", "2147483647,0", "2147483640,1"})
    void aFalseRecordEndsItsQueueAlsoForSeveralConsumers(int length, int flags) {
        append(fixture.peer(), queue);
        AppendConsumer consumer = queue.consumer();
        firstChunk().putLongVolatile(0, word(length, flags));
        assertThatThrownBy(() -> consumer.poll((buffer, offset, bytes, qp, immediate, f) -> {}, 10))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is corrupted");
        assertThat(consumer.poll((buffer, offset, bytes, qp, immediate, f) -> {}, 10))
                .isZero();
        assertThat(corrupted).containsExactly(queue.id());
    }

    @Test
    void aLengthThatChangesWhileItIsHandledIsNotReadAgain() {
        append(fixture.peer(), queue);
        AppendRecord record = new AppendRecord();
        queue.poll(
                (buffer, offset, bytes, qp, immediate, f) -> {
                    firstChunk().putLongVolatile(0, word(1 << 30, 0));
                    queue.hold(record);
                },
                1);
        assertThat(record.length()).isEqualTo(LENGTH);
        record.release();
        assertThat(queue.query().heldBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0,-8", "0,4", "0,65544", "0,2147483640", "100,8", "-1,8", "0,-2147483648"})
    void aFalseTailEndsItsQueue(int sequence, int offset) {
        Appender peer = fixture.peer();
        append(peer, queue);
        long tail = table.getLong(entry + TAIL_OFFSET);
        table.putLongVolatile(entry + TAIL_OFFSET, position(sequence(tail) + sequence, offset));
        assertThat(append(peer, queue)).isIn(Appender.NOT_MAPPED, Appender.RNR);
        assertThat(append(fixture.queues.appender(0), queue)).isIn(Appender.NOT_MAPPED, Appender.RNR);
        fixture.settle();
        expectEnded();
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 4, 65536, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE - 7})
    void aFalsePlaceOfAChunkIsNotWrittenTo(long place) {
        long tail = table.getLong(entry + TAIL_OFFSET);
        int chunk = chunkEntry(entry, sequence(tail), table.getInt(entry + CHUNK_MASK_OFFSET));
        table.putLong(chunk + CHUNK_POSITION_OFFSET, place);
        assertThat(append(fixture.peer(), queue)).isEqualTo(Appender.NOT_MAPPED);
        assertThat(append(fixture.peer(), other)).isEqualTo(Appender.OK);
    }

    @ParameterizedTest
    @CsvSource({"4,0", "4,-65536", "4,65544", "4,1073741824", "12,-1", "12,65536", "8,-1", "24,1048575", "24,-1"})
    void aQueueOfFalseMeasuresIsNotWrittenTo(int field, int value) {
        table.putInt(entry + field, value);
        assertThat(append(fixture.peer(), queue)).isEqualTo(Appender.NOT_MAPPED);
        assertThat(append(fixture.peer(), other)).isEqualTo(Appender.OK);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -8, -2147483648, 4, 70_000, 2147483640})
    void aFalseLengthOfAClaimClosesNoHole(int length) {
        Appender peer = fixture.peer();
        assertThat(peer.claimRun(queue.id(), queue.key(), queue.pd(), LENGTH, 56, QP))
                .isEqualTo(Appender.OK);
        int slot = fixture.control.slotOffset(QP);
        long word = table.getLong(slot + ControlDescriptor.SLOT_WORD_OFFSET);
        table.putLongVolatile(slot + ControlDescriptor.SLOT_WORD_OFFSET, (word & 0xFFFF_FFFFL) | ((long) length << 32));
        for (int i = 0; i < 3; i++) {
            fixture.clock.addAndGet(5_000_000_000L);
            fixture.allocator.doWork();
        }
        long closed = firstChunk().getLongVolatile(0);
        assertThat(closed == 0 || closed == word(56, PADDING))
                .as("hole %x", closed)
                .isTrue();
    }
}
