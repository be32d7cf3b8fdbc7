package io.verbena.nic.arbiter.baseline;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One setting selects a discipline, and each serves whoever has work. */
@Timeout(180)
class DisciplineTest {
    @ParameterizedTest
    @EnumSource
    void eachServesAllThatHaveWork(Discipline discipline) {
        Arbiter arbiter =
                Arbiters.create(ArbiterSettings.defaults().withDiscipline(discipline), 0, 1, SystemNanoClock.INSTANCE);
        assertThat(arbiter.getClass()
                        .getSimpleName()
                        .replaceAll("([a-z])([A-Z])", "$1_$2")
                        .toUpperCase(java.util.Locale.ROOT))
                .isEqualTo(
                        switch (discipline) {
                            case CHUNKS -> "CHUNK_ARBITER";
                            case PALOS_ON_WHOLE_PACKETS -> "PALOS_AS_PRINTED"; // which queue pairs do not cut for
                            default -> discipline.name();
                        });
        Wire wire = new Wire(arbiter, 1024, 58);
        OutputQueue output = new OutputQueue();
        FlowGroup a = new FlowGroup(0, 1, 1);
        FlowGroup b = new FlowGroup(7, 2, 1);
        wire.flow(a, 1, 64, output);
        wire.flow(a, 5, 1000, output);
        wire.flow(b, 1, 5000, output);
        wire.run(3_000_000);
        assertThat(wire.flows).allSatisfy(flow -> assertThat(flow.bytes).isGreaterThan(50_000));
        wire.flows.forEach(arbiter::detach);
        assertThat(arbiter.hasActive()).isFalse();
        assertThat(arbiter.next()).isNull();
    }
}
