package io.verbena.bench.overflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
    private static final int LENGTH = (2 << 20) + 4096; // not a multiple of what is written at a time

    @Test
    void piecesFollowEachOtherInTheFile(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("mapped");
        try (MappedFile file = new MappedFile(path, null)) {
            ByteBuffer first = file.apply(LENGTH);
            ByteBuffer second = file.apply(4096);
            assertThat(first.isDirect()).isTrue();
            assertThat(first.capacity()).isEqualTo(LENGTH);
            assertThat(Files.size(path)).isEqualTo(LENGTH + 4096);
            first.put(LENGTH - 1, (byte) 1);
            second.put(0, (byte) 2);
            BufferUtil.free(first);
            second.put(4095, (byte) 3);
            BufferUtil.free(second);
        }
        byte[] expected = new byte[LENGTH + 4096];
        expected[LENGTH - 1] = 1;
        expected[LENGTH] = 2;
        expected[LENGTH + 4095] = 3;
        assertThat(Files.readAllBytes(path)).isEqualTo(expected);
    }

    @Test
    void noFileIsOverwritten(@TempDir Path directory) throws IOException {
        Path path = Files.createFile(directory.resolve("mapped"));
        assertThatExceptionOfType(RunException.class)
                .isThrownBy(() -> new MappedFile(path, null))
                .withMessageContaining("cannot create " + path);
    }
}
