package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class AcknowledgedTest {
    @Test
    void whatOneWritesTheOtherReadsAndTheMakerDeletes() {
        Path file;
        try (Acknowledged made = Acknowledged.create(3)) {
            file = made.file();
            try (Acknowledged opened = Acknowledged.open(file)) {
                opened.put(0, 7);
                opened.put(2, Long.MAX_VALUE);
            }
            assertThat(file).exists();
            assertThat(made.get(0)).isEqualTo(7);
            assertThat(made.get(1)).isZero();
            assertThat(made.get(2)).isEqualTo(Long.MAX_VALUE);
        }
        assertThat(file).doesNotExist();
    }
}
