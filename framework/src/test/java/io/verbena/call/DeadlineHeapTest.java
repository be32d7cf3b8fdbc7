package io.verbena.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeadlineHeapTest {
    @Test
    void agreesWithAMapUnderRandomUse() {
        Random random = new Random(3);
        int slots = 37;
        DeadlineHeap heap = new DeadlineHeap(slots);
        Map<Integer, Long> model = new HashMap<>();
        long base = Long.MAX_VALUE - 500; // nanoTime may wrap
        for (int i = 0; i < 20_000; i++) {
            int slot = random.nextInt(slots);
            if (heap.contains(slot)) {
                heap.remove(slot);
                model.remove(slot);
            } else {
                long deadline = base + random.nextInt(1_000);
                heap.add(slot, deadline);
                model.put(slot, deadline);
            }
            assertThat(heap.isEmpty()).isEqualTo(model.isEmpty());
            if (!model.isEmpty()) {
                long earliest =
                        model.values().stream().mapToLong(d -> d - base).min().orElseThrow();
                assertThat(heap.earliest() - base).isEqualTo(earliest);
                assertThat(model.get(heap.first()) - base).isEqualTo(earliest);
            }
        }
    }
}
