package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.DirectMemoryProvider;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.EngineMode;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many memory regions a NIC and a group may have, and what a refused one leaves behind: nothing. */
@Timeout(180)
class RegionLimitTest {
    private static final int MAX = 16;
    private static final int LENGTH = 4096;

    private final DirectMemoryProvider memory = new DirectMemoryProvider();
    private final Nic nic = Nic.open(
            new NicContext().mode(EngineMode.INVOKER).maxMemoryRegions(MAX).memory(memory));
    private final PerformanceGroup few =
            nic.createGroup(new GroupAttributes().name("few").maxRegions(3));
    private final ProtectionDomain pd = nic.allocateProtectionDomain(few);
    private final ProtectionDomain others = nic.allocateProtectionDomain();

    @AfterEach
    void close() {
        nic.close();
    }

    @Test
    void memoryOfARegionThatCannotBeRegisteredIsGivenBack() {
        MemoryRegion last = others.allocate(LENGTH, Access.ALL);
        for (int i = 1; i < MAX; i++) {
            last = others.allocate(LENGTH, Access.ALL);
        }
        long before = memory.allocated();
        long used = few.memory().used();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> others.allocate(LENGTH, Access.ALL))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("regions and windows 16 = maximum 16; raise maxMemoryRegions");
            assertThatThrownBy(() -> pd.allocate(LENGTH, Access.ALL)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(memory.allocated()).isEqualTo(before);
        assertThat(few.memory().used()).isEqualTo(used);
        assertThat(few.regions()).isZero();

        others.deregister(last);
        pd.allocate(LENGTH, Access.ALL);
        assertThat(memory.allocated()).isEqualTo(before);
    }

    @Test
    void aGroupHasNoMoreThanItMayAndNothingIsMappedForMore() {
        MemoryRegion region = pd.allocate(LENGTH, Access.ALL);
        MemoryRegion again = pd.register(region, Access.REMOTE_READ);
        MemoryWindow window = pd.allocateWindow(MemoryWindow.Type.TYPE_1);
        assertThat(few.regions()).isEqualTo(3);
        long before = memory.allocated();
        String refused = "group few: memory regions 4 > maximum 3";
        assertThatThrownBy(() -> pd.allocate(LENGTH, 0)).hasMessage(refused);
        assertThat(pd.tryAllocate(LENGTH, 0)).isNull();
        assertThatThrownBy(() -> pd.register(region, 0)).hasMessage(refused);
        assertThatThrownBy(() -> pd.register(ByteBuffer.allocateDirect(64), 0)).hasMessage(refused);
        assertThatThrownBy(() -> pd.allocateWindow(MemoryWindow.Type.TYPE_1)).hasMessage(refused);
        MemoryRegion theirs = others.allocate(LENGTH, Access.ALL);
        assertThatThrownBy(() -> others.reregister(theirs, 0, pd, 0, LENGTH)).hasMessage(refused);
        others.deregister(theirs);
        assertThat(memory.allocated()).isEqualTo(before);
        assertThat(few.memory().refusals()).isEqualTo(2);

        pd.deallocate(window);
        MemoryRegion anew = pd.reregister(again, 0);
        pd.allocate(LENGTH, 0);
        assertThatThrownBy(() -> pd.allocate(LENGTH, 0)).hasMessage(refused);
        pd.deregister(anew);
        few.set(few.query().maxRegions(2));
        assertThatThrownBy(() -> pd.allocate(LENGTH, 0)).hasMessage("group few: memory regions 3 > maximum 2");
        assertThatThrownBy(() -> new GroupAttributes().maxRegions(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
