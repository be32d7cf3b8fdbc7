package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class JainIndexTest {
    @Test
    void knownValues() {
        assertThat(JainIndex.of(1, 1, 1)).isEqualTo(1);
        assertThat(JainIndex.of(1, 0, 0, 0)).isEqualTo(0.25);
        assertThat(JainIndex.of(1, 2, 3)).isCloseTo(36 / 42.0, within(1e-12));
        assertThat(JainIndex.of(0, 0)).isEqualTo(1);
    }

    @Test
    void theScaleDoesNotMatter() {
        assertThat(JainIndex.of(2e9, 4e9, 6e9)).isCloseTo(JainIndex.of(1, 2, 3), within(1e-12));
    }

    @Test
    void refusesWhatIsNoShare() {
        assertThatThrownBy(JainIndex::of).hasMessageContaining("0 < minimum 1");
        assertThatThrownBy(() -> JainIndex.of(1, -1)).hasMessageContaining("-1.0 < minimum 0");
        assertThatThrownBy(() -> JainIndex.of(Double.NaN)).hasMessageContaining("NaN");
    }
}
