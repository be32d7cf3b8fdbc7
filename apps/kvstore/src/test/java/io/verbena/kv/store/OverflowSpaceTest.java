package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slots never overlap, lie within pages as promised, and all room comes back. */
@Timeout(180)
class OverflowSpaceTest {
    private static final int PAGE = OverflowSpace.PAGE;
    private static final long BASE = 10L * PAGE;
    private static final int PAGES = 64;

    private final List<Long> discarded = new ArrayList<>();
    private final OverflowSpace space = new OverflowSpace(BASE, (long) PAGES * PAGE, this::discard);
    private final TreeMap<Long, Integer> taken = new TreeMap<>();

    private void discard(long offset, int length) {
        for (long page = offset; page < offset + length; page += PAGE) {
            discarded.add(page);
        }
    }

    @Test
    void slotsDoNotOverlap() {
        SplittableRandom random = new SplittableRandom(1);
        int full = 0;
        for (int i = 0; i < 200_000; i++) {
            if (random.nextInt(3) > 0) {
                int length = random.nextInt(20) == 0 ? 1 + random.nextInt(5 * PAGE) : 1 + random.nextInt(PAGE);
                long slot = space.take(length);
                if (slot == OverflowSpace.NONE) {
                    full++;
                    giveSome(random);
                } else {
                    expectFree(slot, length);
                    taken.put(slot, length);
                }
            } else if (!taken.isEmpty()) {
                giveOne(random);
            }
        }
        assertThat(full).as("it was full").isPositive();
        while (!taken.isEmpty()) {
            giveOne(random);
        }
        assertThat(space.take(PAGES * PAGE)).as("all pages in a row").isEqualTo(BASE);
        assertThat(space.take(1)).isEqualTo(OverflowSpace.NONE);
    }

    private void expectFree(long slot, int length) {
        assertThat(slot).isGreaterThanOrEqualTo(BASE);
        assertThat(slot + length).isLessThanOrEqualTo(BASE + (long) PAGES * PAGE);
        if (length <= PAGE) {
            assertThat((slot + length - 1) / PAGE).as("within a page").isEqualTo(slot / PAGE);
        } else {
            assertThat(slot % PAGE).isZero();
        }
        Map.Entry<Long, Integer> before = taken.lowerEntry(slot + length);
        assertThat(before == null || before.getKey() + before.getValue() <= slot)
                .as("slot %d of %d and %s", slot, length, before)
                .isTrue();
    }

    private void giveSome(SplittableRandom random) {
        for (int i = 0; i < 20 && !taken.isEmpty(); i++) {
            giveOne(random);
        }
    }

    private void giveOne(SplittableRandom random) {
        long at = BASE + random.nextLong((long) PAGES * PAGE);
        Map.Entry<Long, Integer> one = taken.floorEntry(at);
        Map.Entry<Long, Integer> chosen = one == null ? taken.firstEntry() : one;
        taken.remove(chosen.getKey());
        space.give(chosen.getKey(), chosen.getValue());
    }

    /** 1000 bytes are a quarter of a page. */
    @Test
    void pagesAreFilledOneAfterAnotherAndTheSlotThatWasFreedLastIsGivenWhenNoneIsFree() {
        long[] slots = new long[4 * PAGES];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = space.take(1000);
            assertThat(slots[i]).isEqualTo(BASE + i * (PAGE / 4L));
            if (i == 40) {
                space.give(slots[3], 1000);
                space.give(slots[21], 1000);
            }
        }
        assertThat(space.take(1000)).isEqualTo(slots[21]);
        space.give(slots[33], 1000);
        assertThat(space.take(1000)).isEqualTo(slots[33]);
        assertThat(space.take(1000)).isEqualTo(slots[3]);
        assertThat(space.take(1000)).isEqualTo(OverflowSpace.NONE);
        assertThat(discarded).isEmpty();
    }

    @Test
    void aPageOfWhichAllIsFreeIsDiscardedAndTakenAfterThoseThatFollow() {
        long[] slots = new long[4 * PAGES - 4];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = space.take(1000);
        }
        for (int i = 40; i < 44; i++) {
            assertThat(discarded).isEmpty();
            space.give(slots[i], 1000);
        }
        assertThat(discarded).containsExactly(slots[40]);
        assertThat(space.take(PAGE)).as("of those that were used").isEqualTo(slots[40]);
        assertThat(space.take(PAGE)).as("the last").isEqualTo(BASE + (PAGES - 1L) * PAGE);
    }

    @Test
    void whereThereIsNoRoomForANewPageTheSlotsOfOthersComeFirst() {
        long[] slots = new long[12];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = space.take(1000);
        }
        space.give(slots[1], 1000);
        space.give(slots[6], 1000);
        long fresh = space.take(1000);
        assertThat(fresh).isEqualTo(BASE + 3 * PAGE);
        space.refuse(fresh, 1000);
        assertThat(space.take(1000)).isEqualTo(slots[6]);
        assertThat(space.take(1000)).isEqualTo(slots[1]);
        assertThat(space.take(1000)).as("there may be room again").isEqualTo(fresh);
        space.refuse(fresh, 1000);
        for (int i = 4; i < 8; i++) {
            space.give(slots[i], 1000);
        }
        assertThat(space.take(1000)).as("a page that was used has room").isEqualTo(slots[4]);
        space.refuse(slots[9], 1000);
        space.give(slots[10], 1000);
        for (int i = 0; i < 3; i++) {
            space.take(1000);
        }
        assertThat(space.take(1000)).as("of its page no other is taken").isEqualTo(fresh);
        discarded.clear();
        space.clear();
        assertThat(discarded).containsExactly(BASE, BASE + PAGE, BASE + 2 * PAGE, BASE + 3 * PAGE);
        assertThat(space.take(PAGE)).isEqualTo(BASE);
    }

    @Test
    void aRetiredPageComesBackAsAWhole() {
        long first = space.take(1000);
        long second = space.take(1000);
        long third = space.take(1000);
        space.retire(second, 1000);
        assertThat(space.take(1000)).as("on another page").isEqualTo(BASE + PAGE);
        space.give(first, 1000);
        assertThat(space.take(PAGE)).isEqualTo(BASE + 2 * PAGE);
        assertThat(discarded).isEmpty();
        space.retire(third, 1000);
        assertThat(discarded).containsExactly(BASE);
        assertThat(space.take(PAGE)).isEqualTo(BASE);
        long many = space.take(3 * PAGE - 1);
        space.retire(many, 3 * PAGE - 1);
        assertThat(discarded).containsExactly(BASE, many, many + PAGE, many + 2 * PAGE);
        assertThat(space.take(3 * PAGE)).isEqualTo(many);
    }

    @Test
    void pagesChangeTheirSlots() {
        long[] small = new long[PAGES * 64];
        for (int i = 0; i < small.length; i++) {
            small[i] = space.take(64);
        }
        assertThat(space.take(64)).isEqualTo(OverflowSpace.NONE);
        for (long each : small) {
            space.give(each, 64);
        }
        for (int i = 0; i < PAGES; i++) {
            assertThat(space.take(PAGE)).isNotEqualTo(OverflowSpace.NONE);
        }
        space.clear();
        assertThat(space.take(3)).isEqualTo(BASE);
    }
}
