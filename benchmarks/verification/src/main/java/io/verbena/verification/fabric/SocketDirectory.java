package io.verbena.verification.fabric;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory of this process' own for the path of a Unix-domain socket; goes with {@link #close}, or with the JVM. */
public final class SocketDirectory implements AutoCloseable {
    private final Path directory;

    /** Makes the directory. */
    public SocketDirectory() {
        try {
            directory = Files.createTempDirectory("verbena-bench-");
            directory.toFile().deleteOnExit();
            socket().toFile().deleteOnExit(); // the last one registered goes first
        } catch (IOException e) {
            throw new RunException("cannot make a directory for a socket: " + e.getMessage(), e);
        }
    }

    /** Where the socket goes. */
    public Path socket() {
        return directory.resolve("fabric.sock");
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(socket());
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new RunException("cannot remove " + directory + ": " + e.getMessage(), e);
        }
    }
}
