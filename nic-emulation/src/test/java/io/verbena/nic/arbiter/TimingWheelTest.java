package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.sim.SimRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class TimingWheelTest {
    private static final int LEVELS = 11;

    private static final class Waiting extends Share {
        Waiting(long wakeNanos) {
            this.wakeNanos = wakeNanos;
        }
    }

    private static Waiting add(TimingWheel wheel, long wakeNanos) {
        Waiting waiting = new Waiting(wakeNanos);
        wheel.add(waiting);
        return waiting;
    }

    @Test
    void givesEachAtItsTimeAndNotBefore() {
        TimingWheel wheel = new TimingWheel(1000);
        Waiting later = add(wheel, 5_000_000_000L);
        Waiting soon = add(wheel, 1_700);
        Waiting first = add(wheel, 1_699);
        assertThat(wheel.deadline()).isEqualTo(1_699);
        assertThat(wheel.expired(1_698)).isNull();
        assertThat(wheel.expired(1_699)).isSameAs(first);
        assertThat(wheel.expired(1_699)).isNull();
        assertThat(wheel.deadline()).isEqualTo(1_700);
        assertThat(wheel.expired(4_999_999_999L)).isSameAs(soon);
        assertThat(wheel.expired(4_999_999_999L)).isNull();
        assertThat(wheel.expired(Long.MAX_VALUE)).isSameAs(later);
        assertThat(wheel.expired(Long.MAX_VALUE)).isNull();
        assertThat(wheel.deadline()).isEqualTo(Long.MAX_VALUE);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void whoIsLateIsDueAtOnce() {
        TimingWheel wheel = new TimingWheel(0);
        add(wheel, 100);
        wheel.expired(100);
        Waiting late = add(wheel, 50);
        assertThat(wheel.deadline()).isLessThanOrEqualTo(100);
        assertThat(wheel.expired(100)).isSameAs(late);
    }

    @Test
    void whoLeavesIsForgotten() {
        TimingWheel wheel = new TimingWheel(0);
        Waiting gone = add(wheel, 70);
        Waiting stays = add(wheel, 100);
        wheel.remove(gone);
        assertThat(gone.parked).isFalse();
        assertThat(gone.list).isNull();
        assertThat(wheel.expired(99)).isNull();
        wheel.remove(stays);
        assertThat(wheel.deadline()).isEqualTo(Long.MAX_VALUE);
    }

    /** Whoever leaves may come again, for a nearer or a farther time, into the slot it had or another. */
    @Test
    void whoLeavesMayComeAgain() {
        TimingWheel wheel = new TimingWheel(0);
        Waiting again = add(wheel, 70);
        Waiting stays = add(wheel, 100);
        for (long at : new long[] {90, 5, 1L << 40, 127, 70}) {
            wheel.remove(again);
            again.wakeNanos = at;
            wheel.add(again);
            assertThat(wheel.size()).isEqualTo(2);
        }
        assertThat(wheel.expired(69)).isNull();
        assertThat(wheel.expired(70)).isSameAs(again);
        again.wakeNanos = 80;
        wheel.add(again);
        assertThat(wheel.expired(80)).isSameAs(again);
        assertThat(wheel.expired(99)).isNull();
        assertThat(wheel.expired(100)).isSameAs(stays);
    }

    /** Of a slot that is opened only who is due comes out, whatever left it before. */
    @Test
    void aSlotWhoseFirstHasLeftGivesTheOthersInTime() {
        TimingWheel wheel = new TimingWheel(0);
        Waiting first = add(wheel, 1_000_000);
        List<Waiting> others = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            others.add(add(wheel, 1_000_000 + 7 * i));
        }
        wheel.remove(first);
        assertThat(wheel.expired(1_000_006)).isNull();
        for (Waiting other : others) {
            assertThat(wheel.deadline()).isLessThanOrEqualTo(other.wakeNanos);
            assertThat(wheel.expired(other.wakeNanos - 1)).isNull();
            assertThat(wheel.expired(other.wakeNanos)).isSameAs(other);
        }
        assertThat(wheel.size()).isZero();
    }

    /** Any time at all may be waited for, to the end of the clock. */
    @Test
    void theFarFutureComesInOrder() {
        TimingWheel wheel = new TimingWheel(0);
        List<Waiting> model = new ArrayList<>();
        for (int bit = 0; bit < 63; bit++) {
            model.add(add(wheel, 1L << bit));
        }
        Waiting last = add(wheel, Long.MAX_VALUE);
        for (Waiting next : model) {
            assertThat(wheel.deadline()).isEqualTo(next.wakeNanos);
            assertThat(wheel.expired(next.wakeNanos - 1)).isNull();
            assertThat(wheel.expired(next.wakeNanos)).isSameAs(next);
        }
        assertThat(wheel.expired(Long.MAX_VALUE - 1)).isNull();
        assertThat(wheel.expired(Long.MAX_VALUE)).isSameAs(last);
    }

    /** Every slot of a level passes many times, with times that begin anywhere, also where the clock's own wraps. */
    @ParameterizedTest
    @ValueSource(longs = {0, 63, 64, -1, -1_000_000, Long.MAX_VALUE - 1_000_000, (1L << 36) - 5})
    void turnsRoundAsOftenAsTimePasses(long origin) {
        TimingWheel wheel = new TimingWheel(origin);
        long now = origin;
        for (int i = 0; i < 100_000; i++) {
            Waiting next = add(wheel, now + 61);
            assertThat(wheel.deadline()).isEqualTo(now + 61);
            assertThat(wheel.expired(now + 60)).isNull();
            now += 61;
            assertThat(wheel.expired(now)).isSameAs(next);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void isAsAListThatIsSearched(long seed) {
        SimRandom random = new SimRandom(seed);
        long now = random.nextLong(1L << 50);
        TimingWheel wheel = new TimingWheel(now);
        List<Waiting> model = new ArrayList<>();
        int added = 0;
        for (int i = 0; i < 30_000; i++) {
            int what = random.nextInt(8);
            if (what < 4) {
                model.add(add(wheel, now + random.nextLong(1L << random.nextInt(45)) - 10));
                added++;
            } else if (what == 4 && !model.isEmpty()) {
                wheel.remove(model.remove(random.nextInt(model.size())));
            } else {
                now += random.nextLong(1L << random.nextInt(38));
            }
            for (Share due = wheel.expired(now); due != null; due = wheel.expired(now)) {
                assertThat(due.wakeNanos).isLessThanOrEqualTo(now);
                assertThat(model.remove(due)).as("it waited").isTrue();
            }
            assertThat(wheel.size()).isEqualTo(model.size());
            long first = model.stream().mapToLong(w -> w.wakeNanos).min().orElse(Long.MAX_VALUE);
            assertThat(first).as("nobody is late").isGreaterThan(now);
            assertThat(wheel.deadline()).as("never after the first").isLessThanOrEqualTo(first);
        }
        assertThat(wheel.moves()).isLessThanOrEqualTo((long) added * LEVELS);
    }

    /** What has to be done for many depends on how often they come due, and not on how often the time is asked. */
    @Test
    void whoWaitsCostsNothing() {
        TimingWheel wheel = new TimingWheel(0);
        for (int i = 0; i < 100_000; i++) {
            add(wheel, 1_000_000_000L + i * 7919L);
        }
        long before = wheel.moves();
        for (long now = 0; now < 1_000_000_000L; now += 1000) {
            assertThat(wheel.expired(now)).isNull();
        }
        assertThat(wheel.moves()).isEqualTo(before);
    }
}
