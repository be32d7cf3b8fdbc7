package io.verbena.bench.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import io.verbena.verification.fabric.LinkSecurity;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What ends a test before its time: a bounded wait and a reason, at both sides. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SessionTest {
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    private static PerftestSettings settings(int size, long timeoutSeconds) {
        return new PerftestSettings(
                TestKind.APPEND_LAT,
                FabricKind.LOCAL,
                EngineMode.INVOKER,
                List.of(size),
                1000,
                0,
                1_000_000,
                1,
                16,
                16,
                4,
                1,
                64,
                true,
                TimeUnit.SECONDS.toNanos(timeoutSeconds),
                LinkSecurity.NONE);
    }

    private static CompletableFuture<String> serve(ServerSocket server, PerftestSettings settings) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                TestSession.serve(settings, server, TimeUnit.SECONDS.toNanos(20), NOWHERE);
                return "done";
            } catch (RunException e) {
                return e.getMessage();
            }
        });
    }

    private static String connect(ServerSocket server, PerftestSettings settings) {
        try {
            TestSession.connect(settings, "127.0.0.1", server.getLocalPort(), null, NOWHERE);
            return "done";
        } catch (RunException e) {
            return e.getMessage();
        }
    }

    private static ServerSocket listen() {
        return ControlSocket.listen(InetAddress.getLoopbackAddress(), 0, null);
    }

    @Test
    void bothSidesNameASettingThatDiffers() throws Exception {
        try (ServerSocket server = listen()) {
            CompletableFuture<String> served = serve(server, settings(64, 10));
            assertThat(connect(server, settings(128, 10)))
                    .isEqualTo("settings differ: sizes is 128 at the client and 64 at the server");
            assertThat(served.get()).contains("settings differ: sizes is 64 at the server and 128 at the client");
        }
    }

    @Test
    void aPeerThatIsNoPerftestIsNamed() throws Exception {
        try (ServerSocket server = listen()) {
            CompletableFuture<String> served = serve(server, settings(64, 10));
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                socket.getOutputStream().write("GET / HTTP/1.1\n\n".getBytes(StandardCharsets.UTF_8));
                assertThat(served.get()).contains("no perftest");
            }
        }
    }

    @Test
    void aSilentPeerIsGivenUp() throws Exception {
        try (ServerSocket server = listen()) {
            CompletableFuture<String> served = serve(server, settings(64, 1));
            try (Socket silent = new Socket(server.getInetAddress(), server.getLocalPort())) {
                assertThat(silent.isConnected()).isTrue();
                assertThat(served.get()).isEqualTo("the other side said nothing for 1 s");
            }
        }
    }

    @Test
    void aPeerThatGoesIsSeen() throws Exception {
        try (ServerSocket server = listen()) {
            CompletableFuture<String> served = serve(server, settings(64, 20));
            try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                socket.getOutputStream()
                        .write(settings(64, 20).agreement().line().getBytes(StandardCharsets.UTF_8));
            }
            assertThat(served.get()).contains("the other side closed the control connection");
        }
    }
}
