package io.verbena.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory for the demo's Unix-domain sockets; goes with {@link #close}, or with the JVM. */
final class DemoSockets implements AutoCloseable {
    private final Path directory;

    DemoSockets() {
        try {
            directory = Files.createTempDirectory("verbena-top-");
            directory.toFile().deleteOnExit();
            admin().toFile().deleteOnExit(); // the last one registered goes first
            link().toFile().deleteOnExit();
        } catch (IOException e) {
            throw new ConsoleException("cannot make a directory for sockets: " + e.getMessage(), e);
        }
    }

    /** Of the node's administration. */
    Path admin() {
        return directory.resolve("admin.sock");
    }

    /** Between the nodes. */
    Path link() {
        return directory.resolve("link.sock");
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(admin());
            Files.deleteIfExists(link());
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new ConsoleException("cannot remove " + directory + ": " + e.getMessage(), e);
        }
    }
}
