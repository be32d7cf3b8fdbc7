package io.verbena.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How callbacks of several tenants share a thread, with inboxes and a clock that are made up. */
@Timeout(180)
class CallbackTurnsTest {
    private static final long MICRO = 1_000;
    private static final long SECOND = 1_000_000_000;

    private final Map<String, Integer> weights = new HashMap<>();
    private long now;

    private static final class Box {
        final String tenant;
        final long nanos; // a batch
        boolean full = true;
        long took;
        int calls;

        Box(String tenant, long nanos) {
            this.tenant = tenant;
            this.nanos = nanos;
        }
    }

    private final CallbackTurns<Box, String> turns =
            new CallbackTurns<>(box -> box.tenant, weights::get, box -> box.full, this::callBack, () -> now);

    private int callBack(Box box) {
        box.calls++;
        if (!box.full) {
            return 0;
        }
        now += box.nanos;
        box.took += box.nanos;
        return 1;
    }

    private void runFor(long nanos, Box... boxes) {
        long end = now + nanos;
        while (now < end) {
            assertThat(turns.run(boxes)).as("messages in a turn").isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "3, 1, 10, 1000",
        "3, 1, 1000, 10",
        "1, 1, 1, 25000",
        "1, 9, 20, 20",
        "30, 1, 5, 500",
        "1, 30, 5, 500",
    })
    void timeIsSharedByWeightWhateverACallbackTakes(int first, int second, long firstMicros, long secondMicros) {
        weights.put("first", first);
        weights.put("second", second);
        Box a = new Box("first", firstMicros * MICRO);
        Box b = new Box("second", secondMicros * MICRO);

        runFor(20 * SECOND, a, b);

        double entitled = first / (double) (first + second);
        assertThat(a.took / (double) (a.took + b.took))
                .isCloseTo(entitled, within(0.02 * Math.min(entitled, 1 - entitled)));
    }

    @Test
    void aChangeOfWeightsIsFollowed() {
        weights.put("first", 3);
        weights.put("second", 1);
        Box a = new Box("first", 10 * MICRO);
        Box b = new Box("second", 10 * MICRO);
        Box[] boxes = {a, b};
        runFor(SECOND, boxes);
        weights.put("first", 1);
        long before = a.took;
        long beside = b.took;

        runFor(SECOND, boxes);

        assertThat((a.took - before) / (double) (a.took - before + b.took - beside))
                .isCloseTo(0.5, within(0.01));
    }

    @Test
    void whoIsAloneIsNotBoundedAndHasNothingToPayLater() {
        weights.put("first", 1);
        weights.put("second", 1);
        Box slow = new Box("first", 1000 * MICRO);
        Box fast = new Box("second", 10 * MICRO);
        fast.full = false;
        Box[] boxes = {slow, fast};
        runFor(SECOND, boxes);
        assertThat(slow.took).isEqualTo(SECOND);
        assertThat(fast.calls).as("looks at an empty inbox").isEqualTo(slow.calls);
        fast.full = true;

        runFor(SECOND, boxes);

        assertThat(slow.took - SECOND).isCloseTo(SECOND / 2, within(SECOND / 100));
    }

    @Test
    void allInboxesOfATenantInDebtHaveTheirTurn() {
        weights.put("first", 1);
        weights.put("second", 1);
        Box a = new Box("first", 1000 * MICRO);
        Box b = new Box("first", 1000 * MICRO);
        Box other = new Box("second", 10 * MICRO);

        runFor(10 * SECOND, a, b, other);

        assertThat((a.took + b.took) / (double) other.took).isCloseTo(1, within(0.02));
        assertThat(a.took / (double) b.took).isCloseTo(1, within(0.1));
    }
}
