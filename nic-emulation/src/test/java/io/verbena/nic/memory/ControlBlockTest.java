package io.verbena.nic.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ControlBlockTest {
    private static final ControlLimits SMALL = new ControlLimits(2, 16, 16, 3, 4);

    private final DirectMemoryProvider memory = new DirectMemoryProvider();

    @Test
    void defaultBlockIsAboutOneMebibyte() {
        assertThat(ControlDescriptor.length(ControlLimits.DEFAULT)).isBetween(1 << 19, 2 << 20);
    }

    @Test
    void peerReadsWhatOwnerMade() {
        ControlBlock own = ControlBlock.create(memory, 0xCAFE_F00DL, SMALL);
        ControlBlock peer = ControlBlock.map(memory.control());

        assertThat(peer.nicId()).isEqualTo(0xCAFE_F00DL);
        assertThat(peer.limits()).isEqualTo(SMALL);
        assertThat(peer.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(peer.isOpen()).isTrue();
        own.close();
        assertThat(peer.isOpen()).isFalse();

        long word = QueuePairWord.pack(3, Access.REMOTE_READ | Access.REMOTE_WRITE, 0xAB_CDEF_0123L, 0x1234);
        own.setQpWord(15, word);
        assertThat(peer.qpWord(15)).isEqualTo(word);
        assertThat(peer.qpWord(14)).isZero();
        assertThat(peer.slotsInUse()).isEqualTo(16);
        assertThat(QueuePairWord.state(word)).isEqualTo(3);
        assertThat(QueuePairWord.access(word)).isEqualTo(Access.REMOTE_READ | Access.REMOTE_WRITE);
        assertThat(QueuePairWord.connection(word)).isEqualTo(0xAB_CDEF_0123L);
        assertThat(QueuePairWord.pd(word)).isEqualTo(0x1234);
    }

    @Test
    void numbersOutsideTheTablesAreRefused() {
        ControlBlock own = ControlBlock.create(memory, 1, SMALL);
        assertThatThrownBy(() -> own.isParked(2)).hasMessage("engine 2, limit 2");
        assertThatThrownBy(() -> own.slotOffset(18)).hasMessage("slot 18, limit 18");
    }

    @Test
    void arrivalsAreTakenOnceAndOverlapNothing() {
        ControlBlock own = ControlBlock.create(memory, 1, SMALL);
        ControlBlock peer = ControlBlock.map(memory.control());
        assertThat(own.hasArrivals(1)).isFalse();
        peer.markArrival(1, 0);
        peer.markArrival(1, 63);
        peer.markArrival(1, 63);
        peer.markArrival(1, 4095);
        assertThat(own.hasArrivals(0)).isFalse();
        assertThat(own.hasArrivals(1)).isTrue();
        assertThat(own.takeArrivals(1)).isEqualTo(1L | 1L << 63);
        assertThat(own.takeArrivals(1, 0)).isEqualTo(1L | 1L << 63);
        assertThat(own.takeArrivals(1, 0)).isZero();
        assertThat(own.takeArrivals(1, 63)).isEqualTo(1L << 63);
        assertThat(own.hasArrivals(1)).isFalse();

        memory.control().setMemory(own.keyOffset(0), 16 * ControlDescriptor.KEY_ENTRY_LENGTH, (byte) 1);
        own.setParked(1);
        assertThat(own.hasArrivals(0) || own.hasArrivals(1)).isFalse();
        assertThat(own.takeArrivals(1, 63)).isZero();
    }

    @Test
    void anArrivalOfANumberThatCannotBeIsIgnored() {
        ControlBlock own = ControlBlock.create(memory, 1, SMALL);
        own.markArrival(2, 0);
        own.markArrival(-1, 0);
        own.markArrival(0, 4096);
        own.markArrival(0, -1);
        assertThat(own.hasArrivals(0) || own.hasArrivals(1)).isFalse();
    }

    @Test
    void aQueuePairIsFoundByTheSlotInItsNumber() {
        ControlBlock own = ControlBlock.create(memory, 1, SMALL);
        own.setQpWord(7 * 16 + 3, 99);
        assertThat(own.qpWord(7 * 16 + 3)).isEqualTo(99);
        assertThat(own.qpWord(3)).isEqualTo(99);
        assertThat(own.qpWord(-1)).isZero();
        assertThat(own.slotsInUse()).isEqualTo(4);
        own.beginAccess(7 * 16 + 3, 5);
        assertThat(own.isSlotIdle(3)).isFalse();
        assertThat(own.isKeyInFlight(5)).isTrue();
        own.endAccess(8 * 16 + 3);
        assertThat(own.isSlotIdle(3)).isTrue();
    }

    @Test
    void parkWordsAreSeparate() {
        ControlBlock own = ControlBlock.create(memory, 1, SMALL);
        own.setParked(1);
        assertThat(own.isParked(0)).isFalse();
        assertThat(own.isParkedFenced(1)).isTrue();
        own.setRunning(1);
        assertThat(own.isParked(1)).isFalse();
    }

    @Test
    void tablesDoNotOverlap() {
        ControlBlock own = ControlBlock.create(memory, 7, SMALL);
        AtomicBuffer buffer = own.buffer();
        for (int engine = 0; engine < 2; engine++) {
            own.setParked(engine);
        }
        for (int i = 0; i < 16; i++) {
            buffer.setMemory(own.keyOffset(i), ControlDescriptor.KEY_ENTRY_LENGTH, (byte) 1);
            own.setQpWord(i, -1L);
        }
        for (int i = 0; i < own.slotCount(); i++) {
            assertThat(own.isSlotIdle(i)).isTrue();
            buffer.setMemory(own.slotOffset(i), ControlDescriptor.SLOT_LENGTH, (byte) 2);
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < ControlDescriptor.queueEntryLength(4); j++) {
                assertThat(buffer.getByte(own.queueOffset(i) + j)).isZero();
            }
        }
        assertThat(own.queueOffset(2) + ControlDescriptor.queueEntryLength(4)).isEqualTo(buffer.capacity());
        assertThat(own.isParked(0) && own.isParked(1)).isTrue();
        assertThat(ControlBlock.map(buffer).nicId()).isEqualTo(7);
        assertThat(own.queueOffset(1) % ControlDescriptor.LINE).isZero();
    }

    @Test
    void foreignMemoryIsRefusedNamingBothValues() {
        ControlBlock.create(memory, 1, SMALL);
        AtomicBuffer good = memory.control();

        assertThatThrownBy(() -> ControlBlock.map(new UnsafeBuffer(ByteBuffer.allocateDirect(100))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("control block of 100 bytes < header of 256");
        assertThatThrownBy(() -> ControlBlock.map(changed(good, 0, 0x55)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("control block magic 0x31414e4542524555, expected 0x31414e4542524556");
        assertThatThrownBy(() -> ControlBlock.map(changed(good, 8, 5)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("control block version 5, expected 6");
        assertThatThrownBy(() -> ControlBlock.map(changed(good, 32, 200)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("max engines 200 > maximum 16");
        assertThatThrownBy(() -> ControlBlock.map(changed(good, 32, 3)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("control block length " + good.capacity() + ", expected ");
        assertThatThrownBy(() -> ControlBlock.map(changed(good, 68, 64)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("control block offset of keys");
        assertThatThrownBy(() -> ControlBlock.map(new UnsafeBuffer(good, 0, good.capacity() - 64)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "control block length " + good.capacity() + " > " + (good.capacity() - 64) + " bytes mapped");
    }

    private static AtomicBuffer changed(AtomicBuffer good, int offset, int value) {
        UnsafeBuffer copy = new UnsafeBuffer(ByteBuffer.allocateDirect(good.capacity()));
        good.getBytes(0, copy, 0, good.capacity());
        copy.putByte(offset, (byte) value);
        return copy;
    }

    @Test
    void limitsAreCheckedNamingBothValues() {
        assertThatThrownBy(() -> new ControlLimits(0, 16, 16, 1, 4)).hasMessage("max engines 0 < minimum 1");
        assertThatThrownBy(() -> new ControlLimits(1, 17, 16, 1, 4))
                .hasMessage("max keys 17 is not a power of two; next is 32");
        assertThatThrownBy(() -> new ControlLimits(1, 16, 1 << 21, 1, 4))
                .hasMessage("max queue pairs 2097152 > maximum 1048576");
        assertThatThrownBy(() -> new ControlLimits(16, 1 << 20, 1 << 20, 1 << 14, 1 << 12))
                .hasMessageContaining(" > maximum " + ControlDescriptor.MAX_LENGTH);
    }

    @Test
    void secondControlBlockIsRefused() {
        ControlBlock.create(memory, 1, SMALL);
        assertThatThrownBy(() -> ControlBlock.create(memory, 1, SMALL)).isInstanceOf(IllegalStateException.class);
    }
}
