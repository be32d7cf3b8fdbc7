package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class GroupLedgerTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void sumsWhatEnginesCharge() {
        GroupLedger ledger = new GroupLedger(3);
        ledger.add(0, 10);
        ledger.add(2, 5);
        ledger.add(0, 1);
        assertThat(ledger.total()).isEqualTo(16);
        assertThat(ledger.of(0)).isEqualTo(11);
        assertThat(ledger.of(1)).isZero();
    }

    @Test
    void withoutACeilingEverythingIsGiven() {
        GroupLedger ledger = new GroupLedger(1);
        assertThat(ledger.takeTokens(GroupLedger.LOT, 5)).isEqualTo(GroupLedger.LOT);
        assertThat(ledger.takeTokens(GroupLedger.LOT, 5)).isEqualTo(GroupLedger.LOT);
        assertThat(ledger.takeFloor(1, 5)).isZero();
        assertThat(ledger.floorAtNanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aCeilingIsKeptByTwoWhoTakeInTurn() {
        GroupLedger ledger = new GroupLedger(2);
        ledger.rates(100_000_000, 0);
        long given = 0;
        for (long now = 0; now < SECOND; now += 10_000) {
            given += ledger.takeTokens(GroupLedger.LOT, now);
            given += ledger.takeTokens(1000, now);
        }
        assertThat(given).isBetween(99_900_000L, 100_100_000L + 2 * GroupLedger.LOT);
    }

    @Test
    void whoAsksWhenTokensAreDueLosesNothing() {
        GroupLedger ledger = new GroupLedger(1);
        ledger.rates(1_000_000, 0);
        int lot = ledger.lot();
        assertThat(lot).isEqualTo(1000);
        long given = 0;
        long now = 77;
        while (now < SECOND) {
            given += ledger.takeTokens(lot, now);
            now = ledger.tokensAtNanos() + 100;
        }
        assertThat(given).isBetween(999_000L, 1_003_000L);
    }

    @Test
    void whoWasIdleHasSavedUpLittle() {
        GroupLedger ledger = new GroupLedger(1);
        ledger.rates(0, 10_000_000);
        long given = 0;
        for (int i = 0; i < 100; i++) {
            given += ledger.takeFloor(10_000, 3600 * SECOND);
        }
        assertThat(given).isLessThanOrEqualTo(20_000);
    }

    /** At the old rate a lot is a quarter of an hour, which nobody is to wait for at the new one. */
    @Test
    void whatIsTakenWhileTheRateChangesIsNotChargedAtTheNewOne() throws InterruptedException {
        GroupLedger ledger = new GroupLedger(2);
        AtomicBoolean over = new AtomicBoolean();
        Thread engine = new Thread(() -> {
            while (!over.get()) {
                ledger.takeTokens(1000, 0);
            }
        });
        engine.start();
        try {
            for (int i = 0; i < 50_000; i++) {
                ledger.rates(1, 0);
                ledger.rates(SECOND, 0);
                assertThat(ledger.tokensAtNanos()).isLessThan(SECOND);
            }
        } finally {
            over.set(true);
            engine.join();
        }
    }
}
