package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.memory.Access;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys are what protects memory: what a NIC shows to everybody must not tell them. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class KeysTest {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;
    private static final int KEYS = 100;
    private static final int INDEX_BITS = Integer.numberOfTrailingZeros(new NicContext().maxMemoryRegions);

    /**
     * {@link java.util.SplittableRandom} is a counter behind a bijection: whoever sees one value has all that follow. A
     * NIC's id is public, and drawn first.
     */
    @Test
    void theIdentityDoesNotTellTheKeys() {
        try (Nic nic = Nic.open(new NicContext())) {
            AppendQueue queue = nic.allocateProtectionDomain().createAppendQueue(new AppendQueueAttributes());
            // The id's lowest bit is set in any case, so there are two values that it may come from.
            for (long drawn : new long[] {nic.id(), nic.id() ^ 1}) {
                assertThat(queue.key()).isNotEqualTo((int) following(drawn));
            }
        }
    }

    /** Of a peer's own key, or of one that has leaked, no other follows, in this NIC or another. */
    @Test
    void eachKeyIsDrawnByItself() {
        int[] first = new int[KEYS];
        int[] second = new int[KEYS];
        Set<Integer> tags = new HashSet<>();
        Set<Integer> steps = new HashSet<>();
        int alike = 0;
        try (Nic a = Nic.open(new NicContext());
                Nic b = Nic.open(new NicContext())) {
            register(a, first);
            register(b, second);
        }
        for (int i = 0; i < KEYS; i++) {
            tags.add(first[i]);
            alike += first[i] == second[i] ? 1 : 0;
            if (i > 0) {
                steps.add(first[i] - first[i - 1]);
            }
        }
        // Of a million tags and more: that ten of so few meet by chance will not happen.
        assertThat(tags).hasSizeGreaterThan(KEYS - 10);
        assertThat(steps).hasSizeGreaterThan(KEYS - 10);
        assertThat(alike).isLessThan(10);
    }

    /** What is random in the keys of regions. */
    private static void register(Nic nic, int[] tags) {
        ProtectionDomain pd = nic.allocateProtectionDomain();
        for (int i = 0; i < KEYS; i++) {
            tags[i] = pd.allocate(64, Access.ALL).key() >>> INDEX_BITS;
        }
    }

    private static long following(long value) {
        return mix(unmix(value) + GOLDEN_GAMMA);
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private static long unmix(long z) {
        z = unshift(z, 31) * inverse(0x94d049bb133111ebL);
        z = unshift(z, 27) * inverse(0xbf58476d1ce4e5b9L);
        return unshift(z, 30);
    }

    private static long unshift(long z, int shift) {
        long x = z;
        for (int i = 0; i < 64 / shift; i++) {
            x = z ^ (x >>> shift);
        }
        return x;
    }

    /** The inverse of an odd number modulo 2^64, by Newton's iteration. */
    private static long inverse(long odd) {
        long x = odd;
        for (int i = 0; i < 6; i++) {
            x *= 2 - odd * x;
        }
        return x;
    }
}
