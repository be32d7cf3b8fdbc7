package io.verbena.nic.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.queue.SendWqeDescriptor;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Copies between messages and entries, inline data, and the two atomics, by themselves. */
class ScatterGatherTest {
    private static final int AT = 24; // of the entries

    private final FakeNic nic = new FakeNic(1, () -> 1);
    private final UnsafeBuffer ring = new UnsafeBuffer(new byte[256]);
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[512]);
    private int count;

    private ScatterGatherTest entry(int key, long offset, int bytes) {
        int at = AT + count++ * SendWqeDescriptor.SGE_LENGTH;
        ring.putInt(at + SendWqeDescriptor.SGE_KEY, key);
        ring.putInt(at + SendWqeDescriptor.SGE_BYTES, bytes);
        ring.putLong(at + SendWqeDescriptor.SGE_OFFSET, offset);
        return this;
    }

    private boolean check(int access) {
        return ScatterGather.check(nic, ring, AT, count, FakeNic.PD, access);
    }

    @Test
    void entriesHoldWhereAllOfThemDo() {
        int key = nic.region.key();
        assertThat(check(Access.LOCAL_WRITE)).isTrue(); // none
        entry(key, 0, 100).entry(key, FakeNic.REGION - 10, 10);
        assertThat(check(Access.LOCAL_WRITE)).isTrue();
        entry(key, FakeNic.REGION - 9, 10);
        assertThat(check(0)).isFalse();
    }

    @Test
    void emptyEntryIsNotLookedAt() {
        entry(0x7777, -1, 0).entry(nic.region.key(), 0, 1);
        assertThat(check(0)).isTrue();
        entry(0x7777, 0, 1);
        assertThat(check(0)).isFalse();
    }

    @Test
    void entryNeedsItsPermissionAndDomain() {
        MemoryRegion readOnly = nic.region(64, Access.REMOTE_READ);
        entry(readOnly.key(), 0, 8);
        assertThat(check(0)).isTrue();
        assertThat(check(Access.LOCAL_WRITE)).isFalse();
        assertThat(ScatterGather.check(nic, ring, AT, count, FakeNic.PD + 1, 0)).isFalse();
    }

    @Test
    void partInOneEntryIsFoundThere() {
        entry(1, 0, 100).entry(1, 0, 0).entry(1, 0, 50);
        assertThat(ScatterGather.find(ring, AT, 0, 100)).isEqualTo((long) AT << 32);
        assertThat(ScatterGather.find(ring, AT, 40, 60)).isEqualTo((long) AT << 32 | 40);
        assertThat(ScatterGather.find(ring, AT, 40, 61)).isEqualTo(-1);
        assertThat(ScatterGather.find(ring, AT, 100, 50)).isEqualTo((long) (AT + 32) << 32);
        assertThat(ScatterGather.find(ring, AT, 149, 1)).isEqualTo((long) (AT + 32) << 32 | 49);
    }

    @Test
    void gathersAPartThatBeginsWithinAnEntry() {
        int key = nic.region.key();
        entry(key, 100, 10).entry(key, 500, 0).entry(key, 300, 20).entry(key, 700, 20);
        assertThat(ScatterGather.gather(nic, ring, AT, 7, 30, message, 5)).isTrue();
        byte[] found = new byte[32];
        message.getBytes(4, found);
        byte[] expected = new byte[32];
        System.arraycopy(nic.bytes(107, 3), 0, expected, 1, 3);
        System.arraycopy(nic.bytes(300, 20), 0, expected, 4, 20);
        System.arraycopy(nic.bytes(700, 7), 0, expected, 24, 7);
        assertThat(found).isEqualTo(expected);
        assertThat(ScatterGather.gather(nic, ring, AT, 10, 1, message, 0)).isTrue();
        assertThat(message.getByte(0)).isEqualTo(nic.bytes(300, 1)[0]);
    }

    @Test
    void gatherSaysThatARegionHasGone() {
        entry(nic.region.key(), 0, 10).entry(0x7777, 0, 10);
        assertThat(ScatterGather.gather(nic, ring, AT, 0, 10, message, 0)).isTrue();
        assertThat(ScatterGather.gather(nic, ring, AT, 0, 11, message, 0)).isFalse();
        assertThat(ScatterGather.gather(nic, ring, AT, 0, 0, message, 0)).isTrue();
    }

    @Test
    void scattersAPartThatBeginsWithinAnEntry() {
        int key = nic.region.key();
        entry(key, 100, 10).entry(key, 500, 0).entry(key, 300, 20).entry(key, 700, 20);
        for (int i = 0; i < 100; i++) {
            message.putByte(i, (byte) (i + 1));
        }
        assertThat(ScatterGather.scatter(nic, ring, AT, 7, 30, message, 5)).isTrue();
        assertThat(nic.bytes(106, 5)).containsExactly(FakeNic.pattern(1, 106), 6, 7, 8, FakeNic.pattern(1, 110));
        assertThat(nic.bytes(300, 2)).containsExactly(9, 10);
        assertThat(nic.bytes(319, 2)).containsExactly(28, FakeNic.pattern(1, 320));
        assertThat(nic.bytes(700, 8)).containsExactly(29, 30, 31, 32, 33, 34, 35, FakeNic.pattern(1, 707));
    }

    @Test
    void scatterSaysThatARegionHasGoneOrIsReadOnly() {
        MemoryRegion readOnly = nic.region(64, Access.REMOTE_READ);
        entry(nic.region.key(), 0, 10).entry(readOnly.key(), 0, 10);
        assertThat(ScatterGather.scatter(nic, ring, AT, 0, 10, message, 0)).isTrue();
        assertThat(ScatterGather.scatter(nic, ring, AT, 0, 11, message, 0)).isFalse();
        count = 1;
        entry(0x7777, 0, 10);
        assertThat(ScatterGather.scatter(nic, ring, AT, 10, 1, message, 0)).isFalse();
    }

    @Test
    void placesAllBytesAndNoOther() {
        UnsafeBuffer target = new UnsafeBuffer(new byte[16]);
        UnsafeBuffer source = new UnsafeBuffer(new byte[] {9, 1, 2, 3, 9});
        ScatterGather.place(target, 4, source, 1, 3);
        assertThat(target.byteArray()).containsExactly(0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        ScatterGather.place(target, 16, source, 5, 0);
        ScatterGather.place(target, 0, source, 3, 1);
        assertThat(target.getByte(0)).isEqualTo((byte) 3);
    }

    // ---- inline data ---------------------------------------------------------------------------------------------

    @Test
    void inlineDataIsOneBufferOrTwo() {
        InlineData data = new InlineData();
        assertThat(data.isPresent()).isFalse();
        assertThat(data.isReadable()).isFalse();
        data.wrap(new UnsafeBuffer(new byte[] {9, 1, 2, 3}), 1, 3);
        assertThat(data.isPresent()).isTrue();
        assertThat(data.isReadable()).isTrue();
        data.copyTo(message, 7);
        assertThat(bytes(6, 5)).containsExactly(0, 1, 2, 3, 0);
        data.follow(new UnsafeBuffer(new byte[] {9, 9, 4, 5}), 2, 2);
        data.copyTo(message, 7);
        assertThat(bytes(6, 7)).containsExactly(0, 1, 2, 3, 4, 5, 0);
        data.wrap(new UnsafeBuffer(new byte[] {8}), 0, 1); // what followed does not any more
        data.copyTo(message, 7);
        assertThat(bytes(7, 2)).containsExactly(8, 2);
        data.clear();
        assertThat(data.isPresent()).isFalse();
        data.copyTo(message, 8);
        assertThat(bytes(7, 2)).containsExactly(8, 2);
    }

    @Test
    void partOfInlineDataMayLieInBothBuffers() {
        InlineData data = new InlineData();
        data.wrap(new UnsafeBuffer(new byte[] {9, 1, 2, 3}), 1, 3);
        data.follow(new UnsafeBuffer(new byte[] {9, 9, 4, 5, 6}), 2, 3);
        for (int from = 0; from < 6; from++) {
            for (int length = 0; length <= 6 - from; length++) {
                message.setMemory(0, 16, (byte) 0);
                data.copyTo(message, 2, from, length);
                for (int i = 0; i < length; i++) {
                    assertThat(message.getByte(2 + i)).isEqualTo((byte) (from + i + 1));
                }
                assertThat(message.getByte(1)).isZero();
                assertThat(message.getByte(2 + length)).isZero();
            }
        }
    }

    @Test
    void partOfOneBufferIsCopied() {
        InlineData data = new InlineData();
        data.wrap(new UnsafeBuffer(new byte[] {9, 1, 2, 3}), 1, 3);
        data.copyTo(message, 2, 1, 2);
        assertThat(bytes(1, 4)).containsExactly(0, 2, 3, 0);
    }

    @Test
    void inlineDataOutsideItsBufferIsRefused() {
        InlineData data = new InlineData();
        UnsafeBuffer small = new UnsafeBuffer(new byte[4]);
        assertThatThrownBy(() -> data.wrap(small, 1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        data.wrap(small, 0, 4);
        assertThatThrownBy(() -> data.follow(small, 1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        small.wrap(new byte[3]);
        assertThatThrownBy(data::isReadable).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void bufferOfAnApplicationsOwnClassIsNotReadByTheEngine() {
        InlineData data = new InlineData();
        data.wrap(new ExpandableArrayBuffer(8), 0, 8);
        assertThat(data.isReadable()).isFalse();
        data.wrap(new UnsafeBuffer(new byte[4]), 0, 4);
        data.follow(new ExpandableArrayBuffer(8), 0, 8);
        assertThat(data.isReadable()).isFalse();
    }

    private byte[] bytes(int at, int length) {
        byte[] bytes = new byte[length];
        message.getBytes(at, bytes);
        return bytes;
    }

    // ---- atomics -------------------------------------------------------------------------------------------------

    @Test
    void atomicsReturnTheOriginalValue() {
        UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(16));
        value.putLong(8, 41);
        assertThat(Atomics.execute(true, value, 8, 2, 0)).isEqualTo(41);
        assertThat(value.getLong(8)).isEqualTo(43);
        assertThat(Atomics.execute(false, value, 8, 50, 42)).isEqualTo(43);
        assertThat(value.getLong(8)).isEqualTo(43);
        assertThat(Atomics.execute(false, value, 8, 50, 43)).isEqualTo(43);
        assertThat(value.getLong(8)).isEqualTo(50);
    }

    @Test
    void alignmentIsTheAddresss() {
        UnsafeBuffer whole = new UnsafeBuffer(BufferUtil.allocateDirectAligned(64, 64));
        UnsafeBuffer odd = new UnsafeBuffer(whole, 3, 32);
        for (int i = 0; i < 16; i++) {
            assertThat(Atomics.isAligned(whole, i)).isEqualTo(i % 8 == 0);
            assertThat(Atomics.isAligned(odd, i)).isEqualTo((i + 3) % 8 == 0);
        }
    }
}
