package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryPlanTest {
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    private static MemoryPlan plan(ProxyContext context, long direct) {
        return MemoryPlan.of(context, 256 * MIB, direct);
    }

    @Test
    void dividesTheDirectMemory() {
        MemoryPlan small = plan(new ProxyContext(), 512 * MIB);
        assertThat(small.clients()).isEqualTo(64 * MIB);
        assertThat(small.data()).isEqualTo(320 * MIB);
        assertThat(small.queryBuffer()).isEqualTo(128 * MIB);
        assertThat(small.queues()).isEqualTo(32 * MIB);
        MemoryPlan large = plan(new ProxyContext(), 16 * GIB);
        assertThat(large.clients()).isEqualTo(2 * GIB);
        assertThat(large.data()).isEqualTo(13 * GIB);
        assertThat(large.queryBuffer()).isEqualTo(GIB);
    }

    @ParameterizedTest
    @ValueSource(longs = {32, 64, 100, 256, 512, 1000, 4096, 5000, 100_000})
    void dataIsNeverAllAndNeverNothing(long mebibytes) {
        MemoryPlan plan = plan(new ProxyContext(), mebibytes * MIB);
        assertThat(plan.data()).isBetween(mebibytes * MIB / 4, mebibytes * MIB * 15 / 16);
    }

    @Test
    void clientsAreSetInBytesOrPerCent() {
        assertThat(plan(new ProxyContext().maxMemoryClients("100mb"), GIB).clients())
                .isEqualTo(100 * MIB);
        assertThat(plan(new ProxyContext().maxMemoryClients("50%"), GIB).clients())
                .isEqualTo(GIB / 100 * 50);
        assertThat(plan(new ProxyContext().maxMemoryClients("0"), GIB).clients())
                .isZero();
        assertThatThrownBy(() -> new ProxyContext().maxMemoryClients("101%"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxmemory-clients '101%' is no amount; write 64mb or 5%");
    }

    /** The way out that the error names is one. */
    @ParameterizedTest
    @ValueSource(longs = {1, 100, 321, 400, 1000, 3000, 5000, 50_000})
    void theErrorNamesWhatSuffices(long mebibytes) {
        long wanted = mebibytes * MIB;
        MemoryPlan plan = plan(new ProxyContext(), 64 * MIB);
        if (wanted <= plan.data()) {
            plan.check(wanted);
            return;
        }
        String message = catchMessage(plan, wanted);
        int at = message.indexOf("Size=") + 5;
        long advised = Long.parseLong(message.substring(at, message.indexOf('m', at))) * MIB;
        plan(new ProxyContext(), advised).check(wanted);
        assertThat(advised).isLessThan(3 * wanted + 300 * MIB);
    }

    private static String catchMessage(MemoryPlan plan, long wanted) {
        try {
            plan.check(wanted);
            return "";
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
