package io.verbena.bench.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A victim keeps its share beside each adversary, on the simulated fabric; and the adversaries do what they are for.
 */
@Tag("computed") // the same on every JDK
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class AdversaryTest {
    private static final ArbiterSettings CHUNKS = ArbiterSettings.defaults().withDiscipline(Discipline.CHUNKS);
    private static final long MILLISECOND = 1_000_000;

    static List<Adversary> tenants() {
        return Arrays.stream(Adversary.values())
                .filter(each -> !each.isAttack())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("tenants")
    void leavesItsVictimTheShare(Adversary adversary) {
        KeptShare kept = SimulatedAdversary.run(adversary, CHUNKS);

        assertThat(kept.alone()).as("the victim fills the link by itself").isGreaterThan(11.5e9);
        assertThat(kept.kept()).as("%s: %s", adversary.title(), kept).isGreaterThanOrEqualTo(0.97);
        assertThat(kept.before().count()).as("round trips alone").isGreaterThan(100);
        assertThat(kept.during().count())
                .as("round trips beside %s: %s", adversary.title(), kept)
                .isGreaterThan(20);
    }

    @Test
    void whoeverIsRefusedHasSentAndWaits() {
        for (Adversary adversary : List.of(Adversary.NOT_READY, Adversary.FULL_QUEUE)) {
            SimulatedTenants tenants = new SimulatedTenants(1, CHUNKS, adversary.tenants());
            long[] bytes = tenants.run(0, 30 * MILLISECOND);

            assertThat(bytes[Adversary.ITS_PLACE]).as("%s: sent", adversary).isPositive();
            assertThat(tenants.sender(Adversary.ITS_PLACE).tally().errors)
                    .as("%s: errors", adversary)
                    .isZero();
        }
    }

    @Test
    void manyQueuePairsTakeMostWhereNobodyCountsTenants() {
        ArbiterSettings packets = ArbiterSettings.defaults().withDiscipline(Discipline.PACKET_ROUND_ROBIN);

        KeptShare kept = SimulatedAdversary.run(Adversary.QUEUE_PAIRS, packets);

        assertThat(kept.kept()).as("%s", kept).isLessThan(0.1);
    }

    @Test
    void invalidRequestsFailAndAreSentAgainFromNewLives() {
        SimulatedTenants tenants = new SimulatedTenants(1, CHUNKS, Adversary.INVALID.tenants());
        tenants.run(0, MILLISECOND);
        TenantSender adversary = tenants.sender(Adversary.ITS_PLACE);

        assertThat(adversary.tally().lives).as("queue pairs brought back").isGreaterThan(100);
        assertThat(adversary.tally().errors).as("errors").isGreaterThan(100);
        assertThat(adversary.tally().refused).as("refused as they were posted").isGreaterThan(100);
        assertThat(adversary.statistics().bytes())
                .as("valid requests in between")
                .isPositive();
        assertThat(tenants.sender(0).tally().lives).as("the victim's").isZero();
    }

    @Test
    void aSilentPeerMakesItsSenderRepeatAndFail() {
        SimulatedTenants tenants = new SimulatedTenants(1, CHUNKS, Adversary.SILENT_PEER.tenants());
        long[] bytes = tenants.run(0, 20 * MILLISECOND);
        TenantSender adversary = tenants.sender(Adversary.ITS_PLACE);

        assertThat(adversary.tally().completed()).as("acknowledged").isZero();
        assertThat(bytes[Adversary.ITS_PLACE]).as("sent").isPositive();
        assertThat(adversary.tally().lives).as("gave up and began again").isPositive();
    }

    @Test
    void whoeverIsAlwaysUrgentIsTreatedAsBulk() {
        SimulatedTenants tenants = new SimulatedTenants(1, CHUNKS, Adversary.ALL_URGENT.tenants());
        tenants.run(0, 2 * MILLISECOND);

        assertThat(tenants.sender(Adversary.ITS_PLACE).statistics().demoted()).isPositive();
    }

    @Test
    void aRunIsAFunctionOfItsSeed() {
        List<MeasuredTenant> tenants = Adversary.ONE_BYTE.tenants();

        assertThat(new SimulatedTenants(7, CHUNKS, tenants).run(0, MILLISECOND))
                .isEqualTo(new SimulatedTenants(7, CHUNKS, tenants).run(0, MILLISECOND));
    }
}
