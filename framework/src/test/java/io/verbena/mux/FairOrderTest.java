package io.verbena.mux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tags by arrival, and the clock that they begin at. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FairOrderTest {
    private static final int FLOWS = 5;

    private final FairOrder<String> order = new FairOrder<>();
    private final long[] last = new long[FLOWS];

    private void add(int flow, String name, long bytes, int weight) {
        last[flow] = order.add(name, last[flow], bytes, weight);
    }

    private String served() {
        StringBuilder all = new StringBuilder();
        while (!order.isEmpty()) {
            all.append(order.take());
        }
        return all.toString();
    }

    @Test
    void theLeastTagIsServedFirst() {
        add(0, "a", 300, 1);
        add(1, "b", 100, 1);
        add(1, "c", 100, 1);
        add(1, "d", 150, 1);
        assertThat(order.first()).isEqualTo("b");
        assertThat(served()).isEqualTo("bcad");
        assertThat(order.first()).isNull();
        assertThat(order.take()).isNull();
    }

    @Test
    void aWeightDividesTheBytes() {
        add(0, "a", 300, 3);
        add(0, "b", 300, 3);
        add(0, "c", 300, 3);
        add(1, "d", 150, 1);
        assertThat(served()).isEqualTo("adbc");
    }

    @Test
    void ofEqualTagsTheFirstToArriveIsServedFirst() {
        add(0, "a", 200, 1);
        add(1, "b", 100, 1);
        add(1, "c", 100, 1);
        add(2, "d", 200, 1);
        add(3, "e", 50, 1);
        assertThat(served()).isEqualTo("ebacd");
    }

    @Test
    void theClockIsTheTagOfWhatIsServed() {
        add(0, "a", 300, 1);
        add(1, "b", 100, 1);
        assertThat(order.clock()).isZero();
        order.take();
        assertThat(order.clock()).isEqualTo(last[1]);
        order.take();
        assertThat(order.clock()).isEqualTo(last[0]);
        assertThat(order.take()).isNull();
        assertThat(order.clock()).isEqualTo(last[0]);
    }

    /** One that comes late, or was idle for long, begins at the clock: it does not get what it has left to others. */
    @Test
    void nothingIsSavedUp() {
        add(0, "x", 10, 1);
        for (int i = 0; i < 4; i++) {
            add(1, "a", 100, 1);
        }
        assertThat(order.take()).isEqualTo("x");
        assertThat(order.take()).isEqualTo("a");
        assertThat(order.take()).isEqualTo("a");
        add(0, "y", 101, 1); // behind the third, as the first of a flow would be
        add(0, "y", 101, 1);
        assertThat(served()).isEqualTo("ayay");
    }

    /** Later messages of a flow that has something waiting follow on its own last tag, however far the clock is. */
    @Test
    void aTagIsThatOfArrival() {
        add(0, "a", 1000, 1);
        add(1, "b", 100, 1);
        order.take();
        long tag = last[0];
        add(0, "c", 500, 1);
        assertThat(last[0] - tag).isEqualTo(tag / 2);
        add(1, "d", 950, 1); // at 100 + 950
        assertThat(served()).isEqualTo("adc");
    }

    @Test
    void whatIsWithdrawnLeavesTheClock() {
        add(0, "a", 100, 1);
        add(1, "b", 200, 1);
        assertThat(order.withdraw()).isEqualTo("a");
        assertThat(order.clock()).isZero();
        add(2, "c", 150, 1);
        assertThat(served()).isEqualTo("cb");
        assertThat(order.withdraw()).isNull();
    }

    /** One that is empty costs something: a flow of these cannot go on for ever before others. */
    @Test
    void whatIsEmptyIsServedInItsTurn() {
        add(0, "a", 1, 1);
        for (int i = 0; i < 100; i++) {
            add(1, "b", 0, 1);
        }
        assertThat(served().indexOf('a')).isBetween(1, 50);
    }

    private record Waiting(int number, long tag) {}

    /** Against a list that is searched: random flows, lengths and times of service. */
    @Test
    void itIsTheOrderOfTagsThenArrival() {
        Random random = new Random(1);
        FairOrder<Integer> heap = new FairOrder<>();
        List<Waiting> model = new ArrayList<>();
        long clock = 0;
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(100) < (i / 1000 % 2 == 0 ? 60 : 40)) {
                int flow = random.nextInt(FLOWS);
                int bytes = 1 + random.nextInt(8);
                long tag = Math.max(clock, last[flow]) + bytes * 16L / (1 + flow);
                last[flow] = heap.add(i, last[flow], bytes, 1 + flow);
                assertThat(last[flow]).isEqualTo(tag);
                model.add(new Waiting(i, tag));
            } else if (!model.isEmpty()) {
                Waiting least = model.stream()
                        .min(Comparator.comparingLong(Waiting::tag).thenComparingInt(Waiting::number))
                        .orElseThrow();
                model.remove(least);
                assertThat(heap.first()).isEqualTo(least.number);
                assertThat(heap.take()).isEqualTo(least.number);
                clock = least.tag;
                assertThat(heap.clock()).isEqualTo(clock);
            }
            assertThat(heap.isEmpty()).isEqualTo(model.isEmpty());
        }
        assertThat(clock).isPositive();
    }
}
