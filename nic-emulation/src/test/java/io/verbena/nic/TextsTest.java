package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryWindow;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What texts say of a NIC's objects: names, identities as they are written everywhere, and no key that could be used.
 */
@Timeout(180)
class TextsTest {
    private static final long PEER = 0xAB12;

    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER).id(0xBEEF));
    private final ProtectionDomain pd = nic.allocateProtectionDomain();

    @AfterEach
    void close() {
        nic.close();
    }

    private static void expectNoKey(String text, int key) {
        assertThat(text).doesNotContain(Integer.toHexString(key)).doesNotContain(Integer.toString(key));
    }

    @Test
    void noTextHoldsAKey() {
        MemoryRegion region = pd.allocate(4096, Access.ALL);
        expectNoKey(region.toString(), region.key());
        assertThat(region.toString()).contains(String.format("key=0x......%02x", region.key() & 0xFF));
        MemoryWindow window = pd.allocateWindow(MemoryWindow.Type.TYPE_2);
        expectNoKey(window.toString(), window.key());
        int foreign = window.key() ^ 1;
        assertThatThrownBy(() -> new SendRequest().bind(window, foreign, region, 0, 1, Access.REMOTE_READ))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> expectNoKey(e.getMessage(), foreign))
                .satisfies(e -> expectNoKey(e.getMessage(), window.key()));
    }

    @Test
    void aNicIsNamedTheSameWayEverywhere() {
        assertThat(nic).hasToString("NIC 000000000000beef");
        assertThat(nic.engine(0).services()).hasToString("engine 0 of 000000000000beef");
        try (AddressHandle handle = pd.createAddressHandle(PEER)) {
            assertThat(handle).hasToString("address handle of NIC 000000000000ab12");
        }
        assertThat(new AsyncEvent(AsyncEventType.PORT_ERR, PEER, event -> {}).toString())
                .contains("000000000000ab12");
        try (Nic named = Nic.open(new NicContext().mode(EngineMode.INVOKER).name("orders"))) {
            assertThat(named.engine(0).services()).hasToString("engine 0 of orders");
            assertThat(named.engine(0)).hasToString("engine 0 of orders");
        }
    }

    @Test
    void whatHasANumberIsNamedByIt() {
        assertThat(pd.toString())
                .isEqualTo("protection domain " + pd.number() + " of group "
                        + pd.limits().name());
        AppendQueue queue = pd.createAppendQueue(new AppendQueueAttributes());
        assertThat(queue).hasToString("append queue " + queue.id());
        assertThat(queue.consumer()).hasToString("consumer of append queue " + queue.id());
    }
}
