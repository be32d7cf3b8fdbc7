package io.verbena.merge;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much merges, by the window. */
class MergeSettingsTest {
    @ParameterizedTest
    @CsvSource({
        "9223372036854775807, 131072",
        "7000000, 131072",
        "524288, 131072",
        "262144, 65536",
        "65536, 16384",
        "20000, 8192",
        "8192, 8192",
        "48, 48",
        "1, 1"
    })
    void aWindowHasRoomForSeveral(long window, int most) {
        assertThat(MergeSettings.maxMerged(window)).isEqualTo(most);
    }
}
