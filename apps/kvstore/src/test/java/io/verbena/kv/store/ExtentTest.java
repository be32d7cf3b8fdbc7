package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Extents of the allocator: their sizes, reuse, pins, and what counts as used. */
class ExtentTest {
    private static final int MIB = 1 << 20;

    private final Memory memory = new Memory();
    private final List<Integer> made = new ArrayList<>();
    private boolean exhausted;
    private final Allocator allocator = new Allocator(memory, Long.MAX_VALUE, length -> {
        if (exhausted) {
            throw new OutOfMemoryError("injected");
        }
        made.add(length);
        return ByteBuffer.allocateDirect(length);
    });

    @AfterEach
    void nothingIsHeld() {
        allocator.close();
        assertThat(allocator.used()).isZero();
        assertThat(allocator.committed()).isZero();
    }

    @Test
    void sizesGoInEighthsOfPowersOfTwo() {
        assertThat(ExtentCache.size(1)).isEqualTo(4096);
        assertThat(ExtentCache.size(MIB)).isEqualTo(MIB);
        assertThat(ExtentCache.size(MIB + 1)).isEqualTo(MIB + MIB / 8);
        assertThat(ExtentCache.size(2 * MIB - 1)).isEqualTo(2 * MIB);
        assertThat(ExtentCache.size(Allocator.MAX_LENGTH)).isEqualTo(Allocator.MAX_LENGTH);
        assertThat(ExtentCache.size(Allocator.MAX_LENGTH - 1)).isEqualTo(Allocator.MAX_LENGTH);
        for (int length = Allocator.MAX_RUN_LENGTH; length < 900 * MIB; length += length / 7 + 1) {
            assertThat(ExtentCache.size(length)).isBetween(length, length + length / 8 + 4096);
        }
    }

    @Test
    void whatIsFreedIsUsedAgainAndCountsAsHeld() {
        long first = allocator.allocate(MIB);
        assertThat(allocator.used()).isEqualTo(MIB);
        allocator.free(first);
        assertThat(allocator.used()).isZero();
        assertThat(allocator.committed()).isEqualTo(MIB);
        long second = allocator.allocate(MIB - 5);
        assertThat(made).hasSize(1);
        assertThat(allocator.used()).as("its rounding is used").isEqualTo(MIB);
        allocator.free(second);
        allocator.releaseIdleExtents(0);
        assertThat(allocator.releaseIdleExtents(ExtentCache.MAX_IDLE_MILLIS)).isZero();
        assertThat(allocator.releaseIdleExtents(ExtentCache.MAX_IDLE_MILLIS + 1))
                .isEqualTo(MIB);
        assertThat(allocator.committed()).isZero();
    }

    @Test
    void noMoreIsKeptThanTheBound() {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            blocks.add(allocator.allocate(5 * MIB));
        }
        blocks.forEach(allocator::free);
        assertThat(allocator.used()).isZero();
        assertThat(allocator.committed()).isBetween(55L * MIB, 64L * MIB);
    }

    @Test
    void whatIsKeptGoesWhenMemoryIsShort() {
        allocator.free(allocator.allocate(4 * MIB));
        exhausted = true;
        assertThatThrownBy(() -> allocator.allocate(MIB)).isInstanceOf(AllocationFailedException.class);
        assertThat(allocator.committed()).isZero();
    }

    @Test
    void aPinnedExtentOutlivesItsBlock() {
        long block = allocator.allocate(MIB);
        memory.putInt(block + 100, 4711);
        MemoryChunk chunk = allocator.pin(block + 4);
        assertThat(allocator.isPinned(block)).isTrue();
        allocator.pin(block);
        allocator.free(block);
        long other = allocator.allocate(MIB);
        assertThat(made).hasSize(2);
        assertThat(allocator.isPinned(other)).isFalse();
        assertThat(allocator.used()).isEqualTo(2 * MIB);
        allocator.reset();
        assertThat(allocator.used()).isEqualTo(MIB);
        assertThat(chunk.buffer.getInt(100)).isEqualTo(4711);
        allocator.unpin(chunk);
        assertThat(allocator.used()).isEqualTo(MIB);
        allocator.unpin(chunk);
        assertThat(allocator.used()).isZero();
    }

    @Test
    void resetLeavesPinnedExtentsAndThoseWithoutAddress() {
        long pinned = allocator.allocate(MIB);
        MemoryChunk chunk = allocator.pin(pinned);
        MemoryChunk loose = allocator.takeExtent(2 * MIB);
        allocator.allocate(3 * MIB);
        allocator.allocate(100);
        allocator.reset();
        assertThat(allocator.used()).isEqualTo(3 * MIB);
        long attached = allocator.attach(loose);
        assertThat(memory.buffer(attached)).isSameAs(loose.buffer);
        allocator.free(attached);
        allocator.unpin(chunk);
        assertThat(allocator.used()).isZero();
        assertThatThrownBy(() -> allocator.pin(allocator.allocate(100))).isInstanceOf(IllegalStateException.class);
        allocator.reset();
    }
}
