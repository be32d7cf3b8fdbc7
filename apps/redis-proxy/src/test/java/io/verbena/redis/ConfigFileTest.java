package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
    @TempDir
    Path directory;

    private ProxyContext apply(String yaml) throws IOException {
        Path file = directory.resolve("verbena.yaml");
        Files.writeString(file, yaml);
        ProxyContext context = new ProxyContext();
        ConfigFile.apply(file, context);
        return context;
    }

    private void refuses(String yaml, String... parts) {
        assertThatThrownBy(() -> apply(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("\n")
                .hasMessageContainingAll(parts);
    }

    @Test
    void everyOptionOfTheCommandLineIsAKey() throws IOException {
        ProxyContext context = apply("""
                        port: 7000
                        bind: 0.0.0.0
                        workers: 2
                        shards: 4
                        maxmemory: 1gb
                        maxmemory-policy: allkeys-lru
                        requirepass: 12345
                        maxclients: 5
                        timeout: 30
                        """);
        assertThat(context.port()).isEqualTo(7000);
        assertThat(context.bind()).isEqualTo("0.0.0.0");
        assertThat(context.workers()).isEqualTo(2);
        assertThat(context.shards()).isEqualTo(4);
        assertThat(context.maxMemory()).isEqualTo(1L << 30);
        assertThat(context.maxMemoryPolicy()).isEqualTo("allkeys-lru");
        assertThat(context.password()).isEqualTo("12345");
        assertThat(context.maxClients()).isEqualTo(5);
        assertThat(context.timeoutSeconds()).isEqualTo(30);
    }

    @Test
    void anEmptyFileChangesNothing() throws IOException {
        assertThat(apply("").port()).isEqualTo(6379);
        assertThat(apply("# only a comment\n").port()).isEqualTo(6379);
    }

    @Test
    void whatIsNotUnderstoodIsToldInOneLine() {
        refuses("prot: 1\n", "unknown key 'prot'", "use bind, client-query-buffer-limit, maxclients");
        refuses("port: [1\n", "is no YAML", "correct it at line");
        refuses("port: abc\n", "port: \"abc\" is no whole number");
        refuses("- 1\n- 2\n", "write lines such as 'port: 6379'");
        refuses("maxmemory: lots\n", "maxmemory 'lots' is no amount; write 100mb or 2gb");
        refuses("bind: {a: 1}\n", "is no single value");
    }

    @Test
    void valuesOutOfRangeNameBothValues() throws IOException {
        ProxyContext context = apply("port: 70000\n");
        assertThatThrownBy(context::conclude).hasMessage("port 70000 > maximum 65535");
        assertThatThrownBy(() -> new ProxyContext().workers(0).conclude()).hasMessage("workers 0 < minimum 1");
    }
}
