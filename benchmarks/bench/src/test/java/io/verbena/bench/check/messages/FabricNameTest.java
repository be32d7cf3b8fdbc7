package io.verbena.bench.check.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.ConnectionException;
import io.verbena.InboxOptions;
import io.verbena.Node;
import io.verbena.fabric.netty.SocketTransport;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said to be protected is. */
@Timeout(180)
class FabricNameTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"TLS_TCP, TCP", "SECRET_SHM, SHM", "SECRET_UDS, UDS", "SECRET_TCP, TCP"})
    void whoShowsNothingIsRefused(FabricName guarded, FabricName open) {
        assumeTrue(SocketTransport.EPOLL.isAvailable(), "no Unix-domain sockets here");
        try (Node hub = Node.launch(guarded.context(folder).name("hub"));
                Node member = Node.launch(guarded.context(folder).name("member"));
                Node stranger = Node.launch(open.context(folder).name("stranger"))) {
            hub.openInbox("in", new InboxOptions());
            String address = guarded.listen(hub, folder) + "/in";

            assertThat(member.connect(address, LONG).isConnected()).isTrue();
            assertThatThrownBy(() -> stranger.connect(address, Duration.ofSeconds(2)))
                    .isInstanceOf(ConnectionException.class);
        }
    }

    @Test
    void allButTheOneWithinAProcessReachOthers() {
        assertThat(FabricName.betweenProcesses()).hasSize(FabricName.values().length - 1);
        assertThat(FabricName.betweenProcesses()).allMatch(FabricName::reachesProcesses);
        assertThat(FabricName.LOCAL.reachesProcesses()).isFalse();
    }
}
