package io.verbena.bench.cores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class CoresTest {
    @Test
    void listsAsTheKernelWritesThem() {
        assertThat(Cores.parse("0")).containsExactly(0);
        assertThat(Cores.parse("0-3")).containsExactly(0, 1, 2, 3);
        assertThat(Cores.parse("0-1,4,8-9")).containsExactly(0, 1, 4, 8, 9);
        assertThatThrownBy(() -> Cores.parse("")).hasMessage("'' is no list of cores");
        assertThatThrownBy(() -> Cores.parse("0-x")).hasMessage("'0-x' is no list of cores");
    }

    @Test
    void allPairsHaveTheirTurn() {
        List<String> pairs = new ArrayList<>();
        for (int turn = 1; turn <= 7; turn++) {
            pairs.add(CorePair.of(List.of(0, 1, 2, 5), turn).text());
        }
        assertThat(pairs).containsExactly("0,1", "0,2", "0,5", "1,2", "1,5", "2,5", "0,1");
        assertThat(CorePair.of(List.of(3, 4), 9)).isEqualTo(new CorePair(3, 4));
        assertThat(CorePair.of(List.of(3), 1)).isEqualTo(CorePair.NONE);
        assertThat(CorePair.of(List.of(), 1)).isEqualTo(CorePair.NONE);
    }

    @Test
    void pairsSurviveAsText() {
        assertThat(CorePair.parse("2,11")).isEqualTo(new CorePair(2, 11));
        assertThat(CorePair.parse(new CorePair(0, 3).text())).isEqualTo(new CorePair(0, 3));
        assertThat(CorePair.parse(CorePair.NONE.text())).isEqualTo(CorePair.NONE);
        assertThatThrownBy(() -> CorePair.parse("7")).hasMessage("'7' is no pair of cores");
    }

    @Test
    void aPairIsProbed() throws InterruptedException {
        assumeTrue(Cores.whyNot().isEmpty(), () -> Cores.whyNot().orElse(""));
        CorePair cores = CorePair.of(Cores.pinnable(), 1);
        List<Double> probes = new ArrayList<>();
        Thread near = new Thread(() -> {
            cores.pinNear();
            try (LineProbe probe = new LineProbe(cores)) {
                probes.add(probe.nanos());
                probes.add(probe.nanos());
            }
        });
        near.start();
        near.join();
        assertThat(probes).hasSize(2).allSatisfy(each -> assertThat(each).isPositive());
    }

    @Test
    void withoutAPairThereIsNothingToProbe() {
        CorePair.NONE.pinNear();
        try (LineProbe probe = new LineProbe(CorePair.NONE)) {
            assertThat(probe.nanos()).isZero();
        }
    }
}
