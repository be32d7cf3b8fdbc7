package io.verbena.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real redis-server for a test; the test is skipped, with that reason, where none is installed. */
final class RealRedis implements AutoCloseable {
    private final Process process;
    private final int port;
    private final Path directory;

    private RealRedis(Process process, int port, Path directory) {
        this.process = process;
        this.port = port;
        this.directory = directory;
    }

    static RealRedis start(String... options) throws IOException, InterruptedException {
        Path program = Stream.of(System.getenv("PATH").split(":"))
                .map(path -> Path.of(path, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(program != null, "no redis-server is installed to compare with");
        for (int attempt = 1; attempt <= 3; attempt++) { // another may take the port before it does
            RealRedis redis = start(program, options);
            if (redis.isAnswering()) {
                return redis;
            }
            redis.close();
        }
        throw new IllegalStateException("redis-server did not answer, started 3 times");
    }

    private static RealRedis start(Path program, String... options) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path directory = Files.createTempDirectory("verbena-redis");
        List<String> command = Stream.concat(
                        Stream.of(
                                program.toString(),
                                "--port",
                                Integer.toString(port),
                                "--bind",
                                "127.0.0.1",
                                "--save",
                                "",
                                "--dir",
                                directory.toString()),
                        Stream.of(options))
                .toList();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        return new RealRedis(process, port, directory);
    }

    /** Waits until it answers, or has ended. */
    private boolean isAnswering() throws InterruptedException {
        for (int i = 0; i < 400 && process.isAlive(); i++) {
            try (RespClient client = new RespClient(port)) {
                client.send("PING\r\n");
                client.read();
                return process.isAlive();
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
        return false;
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            Files.deleteIfExists(directory.resolve("log"));
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
