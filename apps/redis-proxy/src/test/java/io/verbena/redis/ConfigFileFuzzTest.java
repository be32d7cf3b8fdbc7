package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Any bytes as a configuration: they are taken, or refused in one line that says what to do. */
class ConfigFileFuzzTest {
    @FuzzTest(maxDuration = "1m")
    void anyFile(byte[] bytes) throws IOException {
        Path file = Files.createTempFile("verbena-config", ".yaml");
        try {
            Files.write(file, bytes);
            ConfigFile.apply(file, new ProxyContext());
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotEmpty().doesNotContain("\n", "\r");
        } finally {
            Files.delete(file);
        }
    }

    @FuzzTest(maxDuration = "1m")
    void anyAmountOfMemory(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        long size = MemorySize.parse(text);
        assertThat(size).isGreaterThanOrEqualTo(-1);
        if (size >= 0) {
            assertThat(MemorySize.parse(Long.toString(size)))
                    .as("the same amount in bytes")
                    .isEqualTo(size);
            assertThat(MemorySize.human(size)).matches("[0-9]+B|[0-9]+\\.[0-9]{2}[KMG]");
        }
    }
}
