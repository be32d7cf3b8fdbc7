package io.verbena.nic.memory;

import static io.verbena.nic.memory.MemoryRegion.contains;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.Segment;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class MemoryTableTest {
    private static final int PD = 5;
    private static final ControlLimits SMALL = new ControlLimits(1, 16, 16, 1, 4);

    private final DirectMemoryProvider memory = new DirectMemoryProvider();
    private final ControlBlock control = ControlBlock.create(memory, 1, SMALL);
    private long now;
    /** Each look at the clock takes a microsecond. */
    private final MemoryTable table = new MemoryTable(control, () -> now += 1_000, 10_000);

    private final Segment segment = memory.allocate(4096);
    private final RemoteKeys remote = new RemoteKeys(ControlBlock.map(memory.control()), new OwnMemory(memory));

    private MemoryRegion register(int offset, int length, int access) {
        return table.register(
                new UnsafeBuffer(segment.buffer(), offset, length), segment.id(), offset, length, access, PD);
    }

    @Test
    void keysAreFoundAndGuessesAreNot() {
        MemoryRegion region = register(0, 100, Access.LOCAL_WRITE);
        assertThat(table.find(region.key())).isSameAs(region);
        assertThat(region.key()).isNotZero();
        for (int bit = 0; bit < 32; bit++) {
            assertThat(table.find(region.key() ^ 1 << bit)).isNull();
            assertThat(remote.resolve(region.key() ^ 1 << bit, PD, 0, 1, 0)).isEqualTo(RemoteKeys.NO_KEY);
        }
        assertThat(table.find(0)).isNull();
        assertThat(remote.resolve(0, PD, 0, 1, 0)).isEqualTo(RemoteKeys.NO_KEY);
    }

    @Test
    void indexIsReusedUnderAnotherTag() {
        Set<Integer> keys = new HashSet<>();
        int before = 0;
        for (int i = 0; i < 1000; i++) {
            MemoryRegion region = register(0, 100, 0);
            assertThat(region.key()).isNotEqualTo(before);
            before = region.key();
            keys.add(before);
            assertThat(table.deregister(region)).isEqualTo(DeregisterResult.DONE);
            assertThat(table.find(region.key())).isNull();
            assertThat(remote.resolve(region.key(), PD, 0, 1, 0)).isEqualTo(RemoteKeys.NO_KEY);
            assertThatThrownBy(() -> table.deregister(region)).isInstanceOf(IllegalStateException.class);
        }
        // Tags are random: in 1000 draws of 28 bits two are the same once in 500 runs, and ten never.
        assertThat(keys).hasSizeGreaterThan(990);
        assertThat(table.size()).isZero();
    }

    @Test
    void fullTableIsRefused() {
        for (int i = 0; i < 16; i++) {
            register(i, 1, 0);
        }
        assertThatThrownBy(() -> register(0, 1, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("16 = maximum 16");
    }

    @Test
    void boundsHoldForAnyValues() {
        assertThat(contains(0, 10, 10)).isTrue();
        assertThat(contains(10, 0, 10)).isTrue();
        assertThat(contains(1, 10, 10)).isFalse();
        assertThat(contains(11, 0, 10)).isFalse();
        assertThat(contains(-1, 1, 10)).isFalse();
        assertThat(contains(0, -1, 10)).isFalse();
        assertThat(contains(Long.MAX_VALUE, 1, 10)).isFalse();
        assertThat(contains(1, Long.MAX_VALUE, 10)).isFalse();
        assertThat(contains(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
        assertThat(contains(Long.MIN_VALUE, Long.MAX_VALUE, 10)).isFalse();
        assertThat(contains(-10, 20, 10)).isFalse();
    }

    @Test
    void checksComeInOrder() {
        MemoryRegion region = register(64, 100, Access.LOCAL_WRITE | Access.REMOTE_READ);
        int key = region.key();
        assertThat(region.check(PD, 0, 100, Access.REMOTE_READ)).isEqualTo(MemoryRegion.OK);
        assertThat(region.check(PD + 1, 0, 100, Access.REMOTE_READ)).isEqualTo(MemoryRegion.WRONG_PD);
        assertThat(region.check(PD, 0, 1000, Access.REMOTE_WRITE)).isEqualTo(MemoryRegion.NO_ACCESS);
        assertThat(region.check(PD, 1, 100, Access.REMOTE_READ)).isEqualTo(MemoryRegion.OUT_OF_RANGE);

        assertThat(remote.resolve(key, PD, 10, 90, Access.REMOTE_READ)).isEqualTo(RemoteKeys.OK);
        assertThat(remote.index()).isEqualTo(74);
        remote.buffer().putLong(remote.index(), 0x1122334455667788L);
        assertThat(region.buffer().getLong(10)).isEqualTo(0x1122334455667788L);
        assertThat(remote.resolve(key, PD + 1, 0, 1, Access.REMOTE_READ)).isEqualTo(RemoteKeys.NO_KEY);
        assertThat(remote.resolve(key, PD, 0, 1, Access.REMOTE_ATOMIC)).isEqualTo(RemoteKeys.NO_ACCESS);
        assertThat(remote.resolve(key, PD, 1, 100, Access.REMOTE_READ)).isEqualTo(RemoteKeys.OUT_OF_RANGE);
        assertThat(remote.resolve(key, PD, Long.MAX_VALUE, 2, Access.REMOTE_READ))
                .isEqualTo(RemoteKeys.OUT_OF_RANGE);
    }

    @Test
    void memoryOfTheCallerCannotBeMappedByPeers() {
        MemoryRegion region = table.register(new UnsafeBuffer(new byte[64]), -1, 0, 64, Access.REMOTE_READ, PD);
        assertThat(remote.resolve(region.key(), PD, 0, 64, Access.REMOTE_READ)).isEqualTo(RemoteKeys.NOT_MAPPED);
        MemoryRegion lost = register(0, 10, 0);
        memory.release(segment);
        assertThat(remote.resolve(lost.key(), PD, 0, 1, 0)).isEqualTo(RemoteKeys.NOT_MAPPED);
    }

    @Test
    void misuseNamesBothValues() {
        assertThatThrownBy(() -> register(0, 8, Access.REMOTE_WRITE))
                .hasMessage("access REMOTE_WRITE lacks LOCAL_WRITE, which REMOTE_WRITE needs");
        assertThatThrownBy(() -> register(0, 8, Access.REMOTE_ATOMIC))
                .hasMessage("access REMOTE_ATOMIC lacks LOCAL_WRITE, which REMOTE_ATOMIC needs");
        assertThatThrownBy(() -> register(0, 8, 64)).hasMessage("access 0x40 has flags outside 0x1f");
        AtomicBuffer eight = new UnsafeBuffer(new byte[8]);
        assertThatThrownBy(() -> table.register(eight, -1, 0, 9, 0, PD))
                .hasMessage("length 9 outside 1 to the buffer's 8 bytes");
        assertThatThrownBy(() -> table.register(eight, -1, 0, 0, 0, PD)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.register(eight, -1, 0, 8, 0, 65536))
                .hasMessage("protection domain 65536 outside 0 to 65535");
        assertThatThrownBy(() -> table.register(eight, 0, Integer.MAX_VALUE, 8, 0, PD))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void deregisterWaitsForInitiatorsBoundedly() {
        control.setQpWord(3, QueuePairWord.pack(3, Access.ALL, 0, PD));
        MemoryRegion region = register(0, 100, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        MemoryRegion other = register(100, 100, 0);
        control.beginAccess(3, region.key());

        assertThat(table.deregister(other)).isEqualTo(DeregisterResult.DONE);
        long start = now;
        assertThat(table.deregister(region)).isEqualTo(DeregisterResult.BUSY);
        assertThat(now - start).isGreaterThanOrEqualTo(10_000);
        assertThat(table.find(region.key())).isNull();
        assertThat(remote.resolve(region.key(), PD, 0, 1, 0)).isEqualTo(RemoteKeys.NO_KEY);
        assertThat(table.isSettled(region)).isFalse();
        assertThat(table.busyCount()).isEqualTo(1);

        int indexMask = SMALL.maxKeys() - 1;
        for (int i = 0; i < 15; i++) {
            assertThat(register(0, 1, 0).key() & indexMask).isNotEqualTo(region.key() & indexMask);
        }
        assertThatThrownBy(() -> register(0, 1, 0)).isInstanceOf(IllegalStateException.class);

        control.endAccess(3);
        assertThat(table.isSettled(region)).isTrue();
        assertThat(register(0, 1, 0).key() & indexMask).isEqualTo(region.key() & indexMask);
    }

    @Test
    void aRegionRegisteredAnewHasAnotherKeyAndAnotherRange() {
        MemoryRegion region = register(0, 100, Access.ALL);
        int size = table.size();
        MemoryRegion anew = table.reregister(
                region, new UnsafeBuffer(segment.buffer(), 8, 16), segment.id(), 8, 16, Access.REMOTE_READ, PD + 1);
        assertThat(anew).isNotNull();
        assertThat(anew.key()).isNotEqualTo(region.key());
        assertThat(table.size()).isEqualTo(size);
        assertThat(table.find(region.key())).isNull();
        assertThat(table.find(anew.key())).isSameAs(anew);
        assertThat(remote.resolve(region.key(), PD, 0, 1, 0)).isEqualTo(RemoteKeys.NO_KEY);
        assertThat(remote.resolve(anew.key(), PD, 0, 16, Access.REMOTE_READ)).isEqualTo(RemoteKeys.NO_KEY);
        assertThat(remote.resolve(anew.key(), PD + 1, 0, 16, Access.REMOTE_READ))
                .isEqualTo(RemoteKeys.OK);
        assertThat(remote.index()).isEqualTo(8);
        assertThat(remote.resolve(anew.key(), PD + 1, 1, 16, Access.REMOTE_READ))
                .isEqualTo(RemoteKeys.OUT_OF_RANGE);
        assertThat(remote.resolve(anew.key(), PD + 1, 0, 16, Access.REMOTE_WRITE))
                .isEqualTo(RemoteKeys.NO_ACCESS);
        assertThatThrownBy(() -> table.reregister(region, segment.buffer(), -1, 0, 8, 0, PD))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> table.reregister(anew, segment.buffer(), -1, 0, 8, Access.REMOTE_WRITE, PD))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(table.deregister(anew)).isEqualTo(DeregisterResult.DONE);
    }

    @Test
    void aRegionThatAnInitiatorDoesNotLeaveIsNotRegisteredAnew() {
        control.setQpWord(3, QueuePairWord.pack(3, Access.ALL, 0, PD));
        MemoryRegion region = register(0, 100, Access.ALL);
        control.beginAccess(3, region.key());
        assertThat(table.reregister(region, segment.buffer(), -1, 0, 8, 0, PD)).isNull();
        assertThat(table.find(region.key())).as("it is what it was").isSameAs(region);
        assertThat(remote.resolve(region.key(), PD, 0, 100, Access.REMOTE_WRITE))
                .isEqualTo(RemoteKeys.OK);
        control.endAccess(3);
        MemoryRegion anew = table.reregister(region, segment.buffer(), -1, 0, 8, 0, PD);
        assertThat(anew).isNotNull();
        assertThat(table.find(region.key())).isNull();
    }

    @Test
    void deregisterSucceedsWhenTheInitiatorLeavesInTime() {
        control.setQpWord(3, QueuePairWord.pack(3, Access.ALL, 0, PD));
        MemoryTable patient = new MemoryTable(
                control,
                () -> {
                    if (++now > 5) {
                        control.endAccess(3);
                    }
                    return now;
                },
                1000);
        MemoryRegion region = patient.register(new UnsafeBuffer(new byte[64]), -1, 0, 64, 0, PD);
        control.beginAccess(3, region.key());
        assertThat(patient.deregister(region)).isEqualTo(DeregisterResult.DONE);
        assertThat(now).isGreaterThan(5);
    }

    @Test
    void providerIsAlignedZeroedAndCapped() {
        DirectMemoryProvider capped = new DirectMemoryProvider(10_000);
        Segment first = capped.allocate(6_000);
        assertThat(first.buffer().addressOffset() % 64).isZero();
        assertThat(first.buffer().capacity()).isEqualTo(6_000);
        assertThatThrownBy(() -> capped.allocate(4_001))
                .isInstanceOf(MemoryExhaustedException.class)
                .hasMessage("wanted 4001 bytes, 4000 available of the limit of 10000; raise the provider's limit");
        assertThat(capped.segment(first.id())).isSameAs(first.buffer());
        capped.release(first);
        capped.release(first);
        assertThat(capped.allocated()).isZero();
        assertThat(capped.segment(first.id())).isNull();
        assertThat(capped.allocate(10_000).id()).isNotEqualTo(first.id());
        assertThatThrownBy(capped::control).isInstanceOf(IllegalStateException.class);
        capped.close();
        assertThatThrownBy(() -> capped.allocate(1)).isInstanceOf(IllegalStateException.class);
    }
}
