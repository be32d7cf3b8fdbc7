package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.nic.port.Link;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** What another process may have left or put into memory and files that both see. */
class HostileMemoryFuzzTest {
    private static final int CAPACITY = PacketRingDescriptor.MIN_CAPACITY;
    private static final int MAX_PACKET = 1000;

    /** A ring that the peer writes to as it likes, its header too, after it was looked at. */
    @FuzzTest(maxDuration = "2m")
    void ring(byte[] script) {
        UnsafeBuffer memory = new UnsafeBuffer(new byte[PacketRingDescriptor.totalLength(CAPACITY)]);
        PacketRingDescriptor.initialize(memory, CAPACITY, MAX_PACKET);
        assertThat(PacketRingDescriptor.defect(memory, CAPACITY, MAX_PACKET)).isNull();
        int at = 0;
        boolean early = (script.length & 1) != 0;
        PacketRingReader reader = early ? null : new PacketRingReader(memory);
        PacketRingWriter writer = early ? null : new PacketRingWriter(memory);
        for (int i = 0; i < 64 && at + 3 < script.length; i++) {
            // Where (an 8-byte word), what kind of value, the value.
            int word = ((script[at] & 0xFF) | (script[at + 1] & 0xFF) << 8) % (memory.capacity() / 8);
            int value = script[at + 3];
            int number = switch (script[at + 2] & 3) {
                case 0 -> value;
                case 1 -> value << 8;
                case 2 -> Integer.MAX_VALUE - (value & 0xFF);
                default -> Integer.MIN_VALUE + (value & 0xFF);
            };
            memory.putInt(word * 8 + ((script[at + 2] & 4) == 0 ? 0 : 4), number);
            at += 4;
            if (reader == null) {
                reader = new PacketRingReader(memory);
                writer = new PacketRingWriter(memory);
            }
            use(memory, reader, writer);
        }
    }

    private static void use(UnsafeBuffer memory, PacketRingReader reader, PacketRingWriter writer) {
        int delivered = reader.poll(
                null,
                (link, buffer, offset, length) -> {
                    assertThat(length).isBetween(1, CAPACITY);
                    assertThat(offset).isBetween(PacketRingDescriptor.HEADER_LENGTH, memory.capacity() - length);
                },
                100);
        assertThat(delivered).isBetween(0, 100);
        reader.hasNext();
        int length = Math.min(64, writer.maxPacket());
        if (length > 0) {
            int claimed = writer.claim(length);
            if (claimed != Link.NO_ROOM) {
                assertThat(claimed).isBetween(PacketRingDescriptor.HEADER_LENGTH, memory.capacity() - length);
                writer.commit();
            }
        }
    }

    /** What the dead have left, whatever it is, keeps nobody from beginning. */
    @FuzzTest(maxDuration = "1m")
    void directoryOfTheDead(byte[] script) throws IOException {
        Path root = Files.createTempDirectory("verbena-fuzz");
        try {
            Path parent = SharedDirectory.userDirectory(root);
            Path dead = Files.createDirectory(parent.resolve("00000000000000ff"));
            byte[] content = script.length == 0 ? script : Arrays.copyOfRange(script, 1, script.length);
            int what = script.length == 0 ? 0 : script[0];
            if ((what & 1) != 0) {
                Files.write(dead.resolve("lock"), content);
            }
            if ((what & 2) != 0) {
                Files.write(dead.resolve("sockets"), content);
            }
            if ((what & 4) != 0) {
                Files.write(dead.resolve("segment-1"), content);
            }
            if ((what & 8) != 0) {
                Files.write(Files.createDirectory(dead.resolve("strange")).resolve("file"), content);
            }
            if ((what & 16) != 0) {
                Files.createDirectories(dead.resolve((what & 1) != 0 ? "sockets.d" : "lock"));
            }
            try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 0xABC, 1 << 20)) {
                assertThat(memory.allocate(64).buffer().capacity()).isEqualTo(64);
            }
        } finally {
            remove(root);
        }
    }

    private static void remove(Path root) {
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
