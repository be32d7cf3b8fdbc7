package io.verbena.remote;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From which length on it is cheaper to register. */
@Timeout(180)
class RegistrationCostTest {
    @Test
    void theCrossoverIsThePowerOfTwoThatIsNotBelow() {
        assertThat(RegistrationCost.crossover(2_000, 0.1)).isEqualTo(32 << 10); // 20,000 bytes
        assertThat(RegistrationCost.crossover(6_553, 0.1)).isEqualTo(64 << 10);
        assertThat(RegistrationCost.crossover(6_554, 0.1)).isEqualTo(128 << 10);
    }

    @Test
    void itIsBounded() {
        assertThat(RegistrationCost.crossover(0, 0.1)).isEqualTo(RegistrationCost.MIN_CROSSOVER);
        assertThat(RegistrationCost.crossover(1_000_000_000, 0.1)).isEqualTo(RegistrationCost.MAX_CROSSOVER);
        assertThat(RegistrationCost.crossover(1, 0)).isEqualTo(RegistrationCost.MAX_CROSSOVER);
    }
}
