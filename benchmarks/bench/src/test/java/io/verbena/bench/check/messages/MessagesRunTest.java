package io.verbena.bench.check.messages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.NodeMode;
import io.verbena.bench.check.messages.MessageTally.Count;
import io.verbena.fabric.netty.SocketTransport;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The load, for a few seconds. */
@Timeout(180)
class MessagesRunTest {
    private static final int MAX_LENGTH = 4 << 20;

    private static MessagesResult run(
            double seconds, Set<FabricName> fabrics, Set<NodeMode> modes, Set<LoadName> loads) {
        MessagesSettings settings =
                new MessagesSettings(seconds, 4711, fabrics, modes, 2, loads, MAX_LENGTH, 30, MessagesSettings.SHARED);
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        return new MessagesRun(settings, nowhere).run();
    }

    @Test
    void everythingInThisProcess() {
        EnumSet<LoadName> loads = EnumSet.complementOf(EnumSet.of(LoadName.PROCESSES, LoadName.KILLS));
        MessagesResult result =
                run(3, EnumSet.of(FabricName.LOCAL, FabricName.TCP), EnumSet.allOf(NodeMode.class), loads);

        assertThat(result.flaw()).isNull();
        assertThat(result.rounds()).isPositive();
        for (Count count : EnumSet.of(Count.MESSAGES, Count.BYTES, Count.CALLS, Count.OPERATIONS, Count.CLOSES)) {
            assertThat(result.total(count)).as(count.name()).isPositive();
        }
        assertThat(result.table()).contains("tcp", "INVOKER");
    }

    @ParameterizedTest
    @EnumSource(names = {"TLS_TCP", "SECRET_SHM", "SECRET_UDS", "SECRET_TCP"})
    void withTlsAndWithASecret(FabricName fabric) {
        assumeTrue(SocketTransport.EPOLL.isAvailable(), "no shared memory between processes here");
        MessagesResult result = run(
                1,
                EnumSet.of(fabric),
                EnumSet.of(NodeMode.ASSISTED),
                EnumSet.complementOf(EnumSet.of(LoadName.PROCESSES, LoadName.KILLS)));

        assertThat(result.flaw()).isNull();
        assertThat(result.total(Count.MESSAGES)).isPositive();
        assertThat(result.table()).contains(fabric.toString());
    }

    /** Each fabric that reaches them, until a hub in a process was used and killed. */
    @Test
    void hubsInProcessesThatAreKilled() {
        assumeTrue(SocketTransport.EPOLL.isAvailable(), "no shared memory between processes here");
        MessagesResult result = run(
                4,
                EnumSet.of(FabricName.SHM, FabricName.UDS, FabricName.TLS_TCP),
                EnumSet.of(NodeMode.ASSISTED),
                EnumSet.of(LoadName.CHANNELS, LoadName.CALLS, LoadName.PROCESSES, LoadName.KILLS));

        assertThat(result.flaw()).isNull();
        assertThat(result.total(Count.MESSAGES)).isPositive();
    }
}
