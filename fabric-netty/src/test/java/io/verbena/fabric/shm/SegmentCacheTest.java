package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class SegmentCacheTest {
    private final Map<Integer, AtomicBuffer> there = new HashMap<>();
    private int looks;

    private AtomicBuffer look(int id) {
        looks++;
        return there.get(id);
    }

    @Test
    void agreesWithAMapWhateverIsMadeAndForgotten() {
        SegmentCache cache = new SegmentCache(this::look, id -> false);
        Set<Integer> known = new HashSet<>();
        Random random = new Random(5);
        for (int step = 0; step < 20_000; step++) {
            int id = random.nextInt(4) == 0 ? Integer.MAX_VALUE - random.nextInt(40) : random.nextInt(60);
            switch (random.nextInt(4)) {
                case 0 -> there.put(id, new UnsafeBuffer(new byte[8]));
                case 1 -> {
                    cache.forget(id);
                    known.remove(id);
                    there.remove(id);
                }
                default -> {
                    looks = 0;
                    AtomicBuffer found = cache.find(id);
                    assertThat(looks).isEqualTo(known.contains(id) ? 0 : 1);
                    if (found == null) {
                        assertThat(there).doesNotContainKey(id);
                    } else {
                        known.add(id);
                    }
                }
            }
            assertThat(cache.known(id) != null).isEqualTo(known.contains(id));
        }
        assertThat(cache.ids())
                .containsExactlyInAnyOrder(
                        known.stream().mapToInt(Integer::intValue).toArray());
    }

    @Test
    void wildIdsCostNothing() {
        SegmentCache cache = new SegmentCache(this::look, id -> false);
        assertThat(cache.find(-1)).isNull();
        assertThat(cache.find(Integer.MIN_VALUE)).isNull();
        assertThat(looks).isZero();
        assertThat(cache.find(Integer.MAX_VALUE)).isNull();
        assertThat(cache.ids()).isEmpty();
    }

    @Test
    void whatIsGoneIsForgottenWhenSomethingNewComes() {
        SegmentCache cache = new SegmentCache(this::look, id -> !there.containsKey(id));
        for (int id = 0; id < 100_000; id++) {
            there.put(id, new UnsafeBuffer(new byte[8]));
            assertThat(cache.find(id)).isSameAs(there.get(id));
            there.remove(id - 10);
        }
        assertThat(cache.ids()).hasSize(11);
    }
}
