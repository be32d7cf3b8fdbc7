package io.verbena.nic;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The parent pom has the flags that the build's JVMs get; what the NIC asks for is among them. */
class JvmFlagsTest {
    @Test
    void theBuildStartsItsTestsWithWhatIsNeeded() {
        assertThat(ManagementFactory.getRuntimeMXBean().getInputArguments())
                .contains(JvmFlags.EXPORTS.replaceFirst(" ", "="));
        assertThat(JvmFlags.missing()).isNull();
    }
}
