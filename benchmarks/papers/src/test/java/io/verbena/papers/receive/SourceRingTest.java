package io.verbena.papers.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.verbs.EngineMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SourceRingTest {
    private static final int CAPACITY = 4096;

    private final Nic nic = Nic.open(new NicContext().mode(EngineMode.INVOKER));
    private final ProtectionDomain domain = nic.allocateProtectionDomain();
    private final SourceRing ring = new SourceRing(domain, CAPACITY, 16);

    private record Piece(long number, int offset, int length) {}

    @AfterEach
    void close() {
        ring.close();
        domain.close();
        nic.close();
    }

    @Test
    void piecesNeverOverlapWhateverTheOrder() {
        Random random = new Random(3);
        List<Piece> claimed = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            int length = random.nextInt(random.nextInt(10) == 0 ? CAPACITY + 1 : 700);
            long number = ring.claim(length);
            if (number == SourceRing.NONE) {
                refused++;
            } else {
                Piece piece = new Piece(number, ring.offset(number), length);
                assertThat(piece.offset() + length).isLessThanOrEqualTo(CAPACITY);
                for (Piece other : claimed) {
                    assertThat(piece.offset() >= other.offset() + other.length()
                                    || other.offset() >= piece.offset() + length)
                            .as("%s and %s", piece, other)
                            .isTrue();
                }
                if (random.nextInt(8) == 0) {
                    ring.unclaim(number);
                } else {
                    claimed.add(piece);
                }
            }
            while (!claimed.isEmpty() && random.nextInt(claimed.size() + 3) > 2) {
                ring.release(claimed.remove(random.nextInt(claimed.size())).number());
            }
        }
        assertThat(refused).isBetween(1_000, 90_000);
    }

    @Test
    void allOfItCanBeClaimedAtOnce() {
        for (int i = 0; i < 3; i++) {
            long whole = ring.claim(CAPACITY);
            assertThat(whole).isNotEqualTo(SourceRing.NONE);
            assertThat(ring.claim(1)).isEqualTo(SourceRing.NONE);
            ring.release(whole);
            ring.release(ring.claim(100));
        }
        assertThat(ring.claim(CAPACITY + 1)).isEqualTo(SourceRing.NONE);
    }

    @Test
    void roomComesFreeInTheOrderOfClaims() {
        long first = ring.claim(CAPACITY / 2);
        long second = ring.claim(CAPACITY / 2);
        ring.release(second);
        assertThat(ring.claim(1)).isEqualTo(SourceRing.NONE);
        ring.release(first);
        assertThat(ring.claim(CAPACITY)).isNotEqualTo(SourceRing.NONE);
    }
}
